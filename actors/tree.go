package actors

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/hashicorp/go-hclog"
)

// tree is the actor system and what follows when one of its actors fails:
//
//	shard          its client is answered, the process ends with an error:
//	               a shard is never restarted empty
//	session        stops; its link closes
//	subscription   stops; its watchers are told that the watch has ended
//
// protoactor would restart each with nothing in it.
type tree struct {
	system *actor.ActorSystem
	log    hclog.Logger
}

func newTree(log hclog.Logger) *tree {
	logger := slog.New(hclogHandler{log.Named("actor")})
	system := actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return logger }),
		actor.WithDeadLetterRequestLogging(false),
		actor.WithDeadLetterThrottleInterval(time.Second))
	thin(system.ProcessRegistry)
	return &tree{log: log, system: system}
}

// stopping is the strategy of all actors: whoever fails stops.
var stopping = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })

// spawn starts an actor by name. Names are given by one owner each, so that
// no two spawns race for one.
func (t *tree) spawn(props *actor.Props, name string) (*actor.PID, error) {
	pid, err := t.system.Root.SpawnNamed(props.Configure(actor.WithGuardian(stopping)), name)
	if err != nil {
		return nil, fmt.Errorf("spawning %s: %w", name, err)
	}
	return pid, nil
}

func typeName(v any) string { return fmt.Sprintf("%T", v) }
