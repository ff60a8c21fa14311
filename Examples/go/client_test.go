// Tests of a client of Sensibo's API in Go: `go test`. They need the command `sensibus`, or the one that SENSIBUS names,
// such as `fleet` of a clone.
package sensibus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The line that says where the server is.
var server struct{ URL, Key, ControlURL, ControlToken string }

func TestMain(m *testing.M) {
	program := os.Getenv("SENSIBUS")
	if program == "" {
		program = "sensibus"
	}
	// The server ends with this process, however that ends.
	command := exec.Command(program, "test-server", "--json", "--exit-with", fmt.Sprint(os.Getpid()))
	output, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err == nil {
		err = json.NewDecoder(output).Decode(&server)
	}
	if err != nil {
		panic(err)
	}
	status := m.Run()
	_ = command.Process.Signal(os.Interrupt)
	_ = command.Wait()
	os.Exit(status)
}

// send returns the status and the JSON of the answer to a request.
func send(t *testing.T, method, url, token string, body any) (int, map[string]any) {
	t.Helper()
	content := new(bytes.Buffer)
	if body != nil {
		if err := json.NewEncoder(content).Encode(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, url, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var value map[string]any
	_ = json.NewDecoder(answer.Body).Decode(&value)
	return answer.StatusCode, value
}

func control(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	status, value := send(t, method, server.ControlURL+path, server.ControlToken, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, status, value)
	}
	return value
}

// ask is the client that is tested.
func ask(t *testing.T, method, path string, body any) (int, map[string]any) {
	t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	return send(t, method, server.URL+"/api/"+path+mark+"apiKey="+server.Key, server.Key, body)
}

func TestReportsAnErrorOfTheCloud(t *testing.T) {
	control(t, "POST", "/reset", nil)
	control(t, "POST", "/faults", map[string]any{"fault": "cloud-error", "status": 503, "times": 1})
	if status, _ := ask(t, "GET", "v2/pods/VMe9BNPT", nil); status != 503 {
		t.Errorf("status %d", status)
	}
}

func TestTimerSwitchesOffAfterThreeHours(t *testing.T) {
	control(t, "POST", "/reset", nil)
	ask(t, "PATCH", "v2/pods/VMe9BNPT/acStates/on", map[string]any{"newValue": true})
	off := map[string]any{"on": false}
	ask(t, "PUT", "v1/pods/VMe9BNPT/timer/", map[string]any{"minutesFromNow": 180, "acState": off})
	control(t, "PATCH", "/clock", map[string]any{"advance": "3h"})
	devices := control(t, "GET", "/devices", nil)["devices"].([]any)
	if devices[0].(map[string]any)["on"] != false {
		t.Error("still on")
	}
	found := control(t, "POST", "/requests/matching", map[string]any{"path": "/api/v1/pods/*/timer"})
	if found["count"] != 1.0 {
		t.Errorf("%v", found)
	}
}
