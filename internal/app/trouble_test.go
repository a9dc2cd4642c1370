package app

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/reason"
)

func TestTroublePassesOrDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy, rolledBack := reason.Because(reason.QueueBusy, nil), reason.Because(reason.AuditRollback, nil)
		command, service := trouble{}, trouble{endless: true}
		for _, tr := range []*trouble{&command, &service} {
			if err := tr.met(busy); err != nil {
				t.Errorf("the first failure that passes ends all: %v", err)
			}
			if err := tr.met(rolledBack); !errors.Is(err, rolledBack) {
				t.Errorf("what no waiting mends is waited out: %v", err)
			}
		}
		time.Sleep(patience + time.Second) // in the bubble's time
		if err := command.met(busy); !errors.Is(err, busy) {
			t.Errorf("a command waits for ever: %v", err)
		}
		if err := service.met(busy); err != nil {
			t.Errorf("a service gives up: %v", err)
		}
		command.over()
		if err := command.met(busy); err != nil {
			t.Errorf("an old failure counts for a new one: %v", err)
		}
	})
}
