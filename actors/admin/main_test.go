package admin_test

import (
	"testing"

	"go.uber.org/goleak"
)

// When all tests are done no goroutine of theirs is left, but for the second that
// protoactor's throttle of dead letters lives.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}
