// Keeps each node's status and alarms in a database, and counts its events, as one consumer of a group (docs/events.md).
// With ORDERS_URL it also reports each part that begins or ends an alarm, or changes its status, to a maintenance system.
// Each event has its effect once, whenever a process is killed. What had its effect is printed as a line of JSON. The
// settings stand in docs/consumer-python-go.md. An order that is not taken is sent again. Any other error ends a process, and
// loses nothing: start it again.
package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/redis/go-redis/v9"
	_ "modernc.org/sqlite"
)

// A line of the output; the members of data as they are.
type line struct {
	Type        string          `json:"type"`
	AggregateID string          `json:"aggregateId"`
	SequenceID  string          `json:"sequenceId"`
	AlarmStatus json.RawMessage `json:"alarmStatus,omitempty"`
	Threshold   json.RawMessage `json:"threshold,omitempty"`
}

// A sequenceId is compared byte by byte, not by a locale; openDatabase names PostgreSQL's collation. If your database has
// the table work_order of an older reader, rename it before you start. Otherwise this reader opens all orders again:
//
//	ALTER TABLE work_order RENAME TO alarm
const tables = `
	CREATE TABLE IF NOT EXISTS place (node TEXT PRIMARY KEY, last TEXT COLLATE "BINARY" NOT NULL);
	CREATE TABLE IF NOT EXISTS status
		(node TEXT PRIMARY KEY, alarm_status INTEGER, timestamp BIGINT, events INTEGER NOT NULL);
	CREATE TABLE IF NOT EXISTS alarm
		(node TEXT, part TEXT, label TEXT, status INTEGER, PRIMARY KEY (node, part))`

// The last sequenceId of the node; no row changes for an event that had its effect. $1 is a value in both databases.
const place = `
	INSERT INTO place (node, last) VALUES ($1, $2)
	ON CONFLICT (node) DO UPDATE SET last = excluded.last WHERE place.last < excluded.last`

const noData = 1

var ordersURL = os.Getenv("ORDERS_URL")

// The kept status. Put other effects into handle, inside its transaction.
const effect = `
	INSERT INTO status (node, alarm_status, timestamp, events) VALUES ($1, $2, $3, 1)
	ON CONFLICT (node) DO UPDATE SET alarm_status = coalesce(excluded.alarm_status, status.alarm_status),
		timestamp = excluded.timestamp, events = status.events + 1`

// A part of a node. Bands and HALs are told apart by their position, which is in the name, and their label.
type partKey struct{ name, label string }

// A band may have no label: its edges stand for it.
func labelOf(part map[string]any) string {
	label, _ := part["label"].(string)
	low, high := part["minFrequency"], part["maxFrequency"]
	if label == "" && (low != nil || high != nil) {
		edges, err := json.Marshal([]any{low, high})
		orEnd(err)
		label = string(edges)
	}
	return strings.ReplaceAll(label, "\x00", "\uFFFD") // PostgreSQL refuses it
}

// Each part, unknown ones too.
func partsOf(data string) map[partKey]map[string]any {
	var members map[string]any
	orEnd(json.Unmarshal([]byte(data), &members))
	parts := map[partKey]map[string]any{}
	add := func(name string, member any) {
		if part, isPart := member.(map[string]any); isPart {
			parts[partKey{name, labelOf(part)}] = part
		}
	}
	for name, member := range members {
		add(name, member)
		several, _ := member.([]any)
		for position, each := range several {
			add(fmt.Sprintf("%s/%d", name, position), each)
		}
	}
	return parts
}

// The status of each part in ALERT or DANGER.
func alarmsOf(parts map[partKey]map[string]any, kept map[partKey]int) map[partKey]int {
	alarms := map[partKey]int{}
	for key, part := range parts {
		number, _ := part["status"].(float64)
		status := int(number)
		if status == noData { // its alarm may last
			status = kept[key]
		}
		if status >= 3 {
			alarms[key] = status
		}
	}
	return alarms
}

// It follows no redirect: the answer is that of ORDERS_URL itself. The time holds for the body, too.
var orders = http.Client{
	Timeout:       5 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

const mostBytes = 1 << 20 // of an answer

// One call for a change of a part: 3 or 4 opens its order or changes it, 0 closes it. A repeat has the same key. An error: it
// is not taken.
func sendOrder(node string, key partKey, status int, part map[string]any, sequence string) error {
	order := node + "/" + key.name
	if key.label != "" {
		order += "/" + key.label
	}
	body, err := json.Marshal(map[string]any{"order": order, "status": status, "part": part})
	orEnd(err)
	request, err := http.NewRequest("POST", ordersURL, bytes.NewReader(body))
	orEnd(err)
	request.Header.Set("Content-Type", "application/json")
	// With the status: if the label of a position changed, one event closes an order there and opens another.
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%s/%s/%d", sequence, key.name, status))
	answer, err := orders.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	size, err := io.Copy(io.Discard, io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return err
	}
	kind := answer.Header.Get("Content-Type")
	if answer.StatusCode/100 != 2 || size == mostBytes || strings.HasPrefix(kind, "text/html") { // a page, such as a login
		return fmt.Errorf("%s answers %s %s", ordersURL, answer.Status, kind)
	}
	return nil
}

// Compares with what was kept. So it finds what changed in a gap, which alarmsChanged does not show.
func updateAlarms(both *sql.Tx, node, sequence, data string) error {
	rows, err := both.Query("SELECT part, label, status FROM alarm WHERE node = $1", node)
	orEnd(err)
	kept := map[partKey]int{}
	for rows.Next() {
		var key partKey
		var status int
		orEnd(rows.Scan(&key.name, &key.label, &status))
		kept[key] = status
	}
	orEnd(rows.Err())
	parts := partsOf(data)
	alarms := alarmsOf(parts, kept)
	if maps.Equal(alarms, kept) {
		return nil
	}
	keys := maps.Clone(kept)
	maps.Copy(keys, alarms)
	inOrder := func(a, b partKey) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.label, b.label)) }
	for _, key := range slices.SortedFunc(maps.Keys(keys), inOrder) {
		if ordersURL != "" && kept[key] != alarms[key] {
			if err := sendOrder(node, key, alarms[key], parts[key], sequence); err != nil {
				return err
			}
		}
	}
	_, err = both.Exec("DELETE FROM alarm WHERE node = $1", node)
	orEnd(err)
	for key, status := range alarms {
		_, err = both.Exec("INSERT INTO alarm (node, part, label, status) VALUES ($1, $2, $3, $4)",
			node, key.name, key.label, status)
		orEnd(err)
	}
	return nil
}

// An error: an order is not taken, and nothing is committed.
func handle(database *sql.DB, fields map[string]any) error {
	text := func(name string) string { value, _ := fields[name].(string); return value }
	kind, node, sequence := text("type"), text("aggregateId"), text("sequenceId")
	isKnown := kind == "PointAlarmStatusEvent" || kind == "SetPointAlarmThresholdEvent"
	if !isKnown { // other types may come, and are passed over
		return nil
	}
	var event line
	if err := json.Unmarshal([]byte(text("data")), &event); err != nil {
		// It would fail again, and the entries behind it would wait for ever.
		log.Printf("%s %s is passed over: %v", node, sequence, err)
		return nil
	}
	event.Type, event.AggregateID, event.SequenceID = kind, node, sequence
	var status any
	if event.AlarmStatus != nil {
		status = string(event.AlarmStatus)
	}
	both, err := database.Begin() // one transaction
	orEnd(err)
	defer both.Rollback() // without an effect once it is committed
	placed, err := both.Exec(place, node, sequence)
	orEnd(err)
	if changed, err := placed.RowsAffected(); err != nil || changed == 0 {
		orEnd(err)
		return nil
	}
	_, err = both.Exec(effect, node, status, text("timestamp"))
	orEnd(err)
	if kind == "PointAlarmStatusEvent" {
		// Before the commit: a crash between the two repeats its calls.
		if err := updateAlarms(both, node, sequence, text("data")); err != nil {
			return err
		}
	}
	orEnd(both.Commit())
	orEnd(json.NewEncoder(os.Stdout).Encode(event))
	return nil
}

func orEnd(err error) {
	if err != nil && !errors.Is(err, redis.Nil) { // redis.Nil: nothing came
		log.Fatal(err)
	}
}

// By the URL. With Sentinels only its protocol, user, password and database count, and they name the primary.
func connect() *redis.Client {
	options, err := redis.ParseURL(cmp.Or(os.Getenv("REDIS_URL"), "redis://127.0.0.1:6379"))
	orEnd(err)
	sentinels := os.Getenv("REDIS_SENTINELS")
	if sentinels == "" {
		return redis.NewClient(options)
	}
	if options.TLSConfig != nil {
		options.TLSConfig.ServerName = "" // each server is known by its own
	}
	failover := redis.FailoverOptions{SentinelAddrs: strings.Split(sentinels, ","), TLSConfig: options.TLSConfig}
	failover.MasterName, failover.SentinelPassword = os.Getenv("REDIS_SENTINEL_MASTER"), os.Getenv("REDIS_SENTINEL_PASSWORD")
	failover.Username, failover.Password, failover.DB = options.Username, options.Password, options.DB
	return redis.NewFailoverClient(&failover)
}

// A PostgreSQL, or without EFFECTS_URL a file of SQLite.
func openDatabase() *sql.DB {
	driver, source, create := "sqlite", cmp.Or(os.Getenv("EFFECTS_FILE"), "effects.db")+"?_pragma=busy_timeout(60000)", tables
	if url := os.Getenv("EFFECTS_URL"); url != "" {
		driver, source, create = "pgx", url, strings.Replace(tables, "BINARY", "C", 1)
	}
	database, err := sql.Open(driver, source)
	orEnd(err)
	_, err = database.Exec(create)
	orEnd(err)
	return database
}

func isGroupThere(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") }

// Whether an entry of the stream stands before another: the numbers of their ids decide.
func isBefore(id, other string) bool {
	var a, b [2]uint64
	_, err := fmt.Sscanf(id+" "+other, "%d-%d %d-%d", &a[0], &a[1], &b[0], &b[1])
	orEnd(err)
	return slices.Compare(a[:], b[:]) < 0
}

// A gap: entries were trimmed before this group was given them.
func reportGap(ctx context.Context, client *redis.Client, stream, name string) {
	about, err := client.XInfoStream(ctx, stream).Result()
	orEnd(err)
	groups, err := client.XInfoGroups(ctx, stream).Result()
	orEnd(err)
	for _, group := range groups {
		isKnown := group.Name == name && group.LastDeliveredID != "0-0" // 0-0: the group is new
		if first := about.FirstEntry.ID; isKnown && first != "" && isBefore(group.LastDeliveredID, first) {
			log.Printf("entries between %s and %s were trimmed unread: run pas republish --all --again", group.LastDeliveredID, first)
		}
	}
}

func reportTrimmed(id string) {
	log.Printf("%s was trimmed before it was handled: run pas republish --all --again", id)
}

func main() {
	ctx := context.Background()
	host, _ := os.Hostname()
	stream := cmp.Or(os.Getenv("EVENT_STREAM"), "point-alarm-events")
	group := cmp.Or(os.Getenv("CONSUMER_GROUP"), "maintenance")
	consumer := cmp.Or(os.Getenv("CONSUMER_NAME"), fmt.Sprintf("%s-%d", host, os.Getpid()))
	claimAfterMs, err := strconv.Atoi(cmp.Or(os.Getenv("CLAIM_AFTER_MS"), "30000"))
	orEnd(err)
	database := openDatabase()
	client := connect()
	if err := client.XGroupCreateMkStream(ctx, stream, group, "0").Err(); !isGroupThere(err) {
		orEnd(err)
		var hasRead bool
		orEnd(database.QueryRow("SELECT EXISTS (SELECT 1 FROM place)").Scan(&hasRead))
		if hasRead {
			log.Printf("Redis lost the group %s, perhaps with events: run pas republish --all --again", group)
		}
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
	// To be faster, commit several events at once. First let `pending` fall to 0. Then run one process, always under one
	// name: nobody else holds entries. Move the transaction and the printed line out of handle. Raise the count of both
	// reads, here and at the end, to 100. Handle all held entries in one transaction, and acknowledge all after its commit.
	// If one fails, the calls of all are repeated, with the same keys.
	const firstWait = 100 * time.Millisecond
	wait := firstWait
	for {
		// First what this consumer holds: delivered, and not acknowledged. An entry that was trimmed has no fields.
		held := read("0", 1, -1)
		if len(held) > 0 {
			// It is handled when nobody holds an earlier one. So the events of a node keep their order.
			pending, err := client.XPending(ctx, stream, group).Result()
			orEnd(err)
			if pending.Lower == held[0].ID {
				if len(held[0].Values) == 0 {
					reportTrimmed(held[0].ID)
				} else if err := handle(database, held[0].Values); err != nil {
					log.Printf("an order is not taken, and sent again: %v", err)
					time.Sleep(wait)
					wait = min(2*wait, 10*time.Second)
					continue
				}
				wait = firstWait
				orEnd(client.XAck(ctx, stream, group, held[0].ID).Err()) // after the effect
				continue
			}
		}
		claim := redis.XAutoClaimArgs{Stream: stream, Group: group, Consumer: consumer, Start: "0", Count: 16}
		claim.MinIdle = time.Duration(claimAfterMs) * time.Millisecond
		claimed, _, trimmed, err := client.XAutoClaimWithDeleted(ctx, &claim).Result()
		orEnd(err)
		for _, id := range trimmed {
			reportTrimmed(id)
		}
		switch {
		case len(claimed) > 0: // it holds now what dead consumers held
		case len(held) > 0:
			time.Sleep(50 * time.Millisecond)
		default:
			reportGap(ctx, client, stream, group)
			read(">", 16, time.Second) // it holds new ones
		}
	}
}
