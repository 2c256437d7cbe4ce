// Uses the client that oapi-codegen makes of docs/openapi.json.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"clients/alarms"

	"github.com/google/uuid"
)

func main() {
	log.SetFlags(log.Lshortfile)
	withToken := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := alarms.NewClientWithResponses(os.Getenv("URL"), alarms.WithRequestEditorFn(withToken))
	if err != nil {
		log.Fatal(err)
	}
	node, limit, kind := uuid.New(), 1234567.891, alarms.OVERALLOUTOFWINDOW
	threshold := alarms.AlarmThresholdInput{ThresholdType: &kind, Overall: &alarms.AlarmLimitsInput{InnerHigh: &limit}}
	for range 2 { // the second time with what was read
		done, err := client.SetThresholdWithResponse(context.Background(), node, nil, threshold)
		if err != nil || done.StatusCode() != 204 {
			log.Fatal(err, string(done.Body))
		}
		shown, err := client.GetThresholdWithResponse(context.Background(), node, nil)
		if err != nil || shown.JSON200 == nil || *shown.JSON200.Overall.InnerHigh != limit {
			log.Fatal(err, string(shown.Body))
		}
		read, _ := json.Marshal(shown.JSON200)
		threshold = alarms.AlarmThresholdInput{}
		if err := json.Unmarshal(read, &threshold); err != nil {
			log.Fatal(err)
		}
	}
}
