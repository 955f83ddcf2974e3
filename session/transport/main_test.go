package transport

import (
	"testing"

	"go.uber.org/goleak"
)

// When all tests are done no goroutine of theirs is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
