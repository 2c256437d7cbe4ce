// Prints each event of the stream as a line of JSON, as one consumer of a group (docs/events.md).
//
// Settings: REDIS_URL, EVENT_STREAM, CONSUMER_GROUP,
// CONSUMER_NAME (its own for each process, and kept over restarts), CLAIM_AFTER_MS (longer than one event may take).
// The processes of a group take turns. An error ends a process, and loses nothing: start it again.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A line of the output; the members of data as they are.
type line struct {
	Type        string          `json:"type"`
	AggregateID string          `json:"aggregateId"`
	SequenceID  string          `json:"sequenceId"`
	AlarmStatus json.RawMessage `json:"alarmStatus,omitempty"`
	Threshold   json.RawMessage `json:"threshold,omitempty"`
}

// The last sequenceId of each node. In memory, it recognises repeats within this process only. For exactly once, keep it
// with your effects, in one transaction: docs/events.md, "Promises" and "Consuming".
var last = map[string]string{}

func handle(fields map[string]any) {
	text := func(name string) string { value, _ := fields[name].(string); return value }
	kind, node, sequence := text("type"), text("aggregateId"), text("sequenceId")
	isKnown := kind == "PointAlarmStatusEvent" || kind == "SetPointAlarmThresholdEvent"
	if !isKnown || sequence <= last[node] { // other types may come, and are passed over
		return
	}
	var event line
	if err := json.Unmarshal([]byte(text("data")), &event); err != nil {
		// It would fail again, and the entries behind it would wait for ever.
		log.Printf("%s %s is passed over: %v", node, sequence, err)
		return
	}
	event.Type, event.AggregateID, event.SequenceID = kind, node, sequence
	orEnd(json.NewEncoder(os.Stdout).Encode(event))
	last[node] = sequence
}

func orEnd(err error) {
	if err != nil && !errors.Is(err, redis.Nil) { // redis.Nil: nothing came
		log.Fatal(err)
	}
}

func isGroupThere(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") }

func main() {
	ctx := context.Background()
	host, _ := os.Hostname()
	stream := cmp.Or(os.Getenv("EVENT_STREAM"), "point-alarm-events")
	group := cmp.Or(os.Getenv("CONSUMER_GROUP"), "trail")
	consumer := cmp.Or(os.Getenv("CONSUMER_NAME"), fmt.Sprintf("%s-%d", host, os.Getpid()))
	claimAfterMs, err := strconv.Atoi(cmp.Or(os.Getenv("CLAIM_AFTER_MS"), "30000"))
	orEnd(err)
	options, err := redis.ParseURL(cmp.Or(os.Getenv("REDIS_URL"), "redis://127.0.0.1:6379"))
	orEnd(err)
	client := redis.NewClient(options)
	if err := client.XGroupCreateMkStream(ctx, stream, group, "0").Err(); !isGroupThere(err) {
		orEnd(err)
	}
	read := func(from string, count int64, block time.Duration) []redis.XMessage {
		args := redis.XReadGroupArgs{Group: group, Consumer: consumer, Streams: []string{stream, from}}
		args.Count, args.Block = count, block
		streams, err := client.XReadGroup(ctx, &args).Result()
		orEnd(err)
		if len(streams) == 0 {
			return nil
		}
		return streams[0].Messages
	}
	for {
		// First what this consumer holds: delivered, and not acknowledged. An entry that was trimmed has no fields.
		held := read("0", 1, -1)
		if len(held) > 0 {
			// It is handled when nobody holds an earlier one. So the events of a node keep their order.
			pending, err := client.XPending(ctx, stream, group).Result()
			orEnd(err)
			if pending.Lower == held[0].ID {
				handle(held[0].Values)
				orEnd(client.XAck(ctx, stream, group, held[0].ID).Err()) // after the effect
				continue
			}
		}
		claim := redis.XAutoClaimArgs{Stream: stream, Group: group, Consumer: consumer, Start: "0", Count: 16}
		claim.MinIdle = time.Duration(claimAfterMs) * time.Millisecond
		claimed, _, err := client.XAutoClaim(ctx, &claim).Result()
		orEnd(err)
		switch {
		case len(claimed) > 0: // it holds now what dead consumers held
		case len(held) > 0:
			time.Sleep(50 * time.Millisecond)
		default:
			read(">", 16, time.Second) // it holds new ones
		}
	}
}
