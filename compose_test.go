package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// What is under deploy/, held against the program, since no engine runs here.

// composed is a service of deploy/compose.yaml.
type composed struct {
	Environment map[string]string
	StopGrace   string `yaml:"stop_grace_period"`
	Build       struct{ Context, Dockerfile string }
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
}

func compose(t *testing.T) map[string]composed {
	t.Helper()
	var file struct{ Services map[string]composed }
	text, err := os.ReadFile("deploy/compose.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &file)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range file.Services {
		for _, on := range keys(s.DependsOn) {
			if _, exists := file.Services[on]; !exists {
				t.Errorf("%s waits for %s, which there is not", name, on)
			}
		}
	}
	return file.Services
}

func keys[V any](m map[string]V) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

var placeholder = regexp.MustCompile(`\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}`)

// filled is an environment with deploy/.env filled in.
func filled(environment map[string]string) map[string]string {
	given := map[string]string{"POSTGRES_PASSWORD": "secret", "OCCUPY_JWT_ISSUER": "https://login.example.com", "OCCUPY_JWT_AUDIENCE": "occupy"}
	all := map[string]string{}
	for name, value := range environment {
		all[name] = placeholder.ReplaceAllStringFunc(value, func(p string) string {
			m := placeholder.FindStringSubmatch(p)
			if v := given[m[1]]; v != "" {
				return v
			}
			return m[2]
		})
	}
	return all
}

func isSetting(name string) bool {
	for _, s := range settings() {
		if s.name == name {
			return true
		}
	}
	return false
}

func TestTheComposedGatewaysStart(t *testing.T) {
	services := compose(t)
	for _, name := range []string{"gateway-1", "gateway-2"} {
		s, exists := services[name]
		if !exists {
			t.Fatalf("there is no %s", name)
		}
		for variable := range s.Environment {
			if !isSetting(variable) {
				t.Errorf("%s: there is no setting %s", name, variable)
			}
		}
		c, err := loadConfig(filled(s.Environment))
		if err != nil {
			t.Errorf("%s does not start: %v", name, err)
		}
		if c.Node != name {
			t.Errorf("%s calls itself %s", name, c.Node)
		}
		grace, err := time.ParseDuration(s.StopGrace)
		if err != nil || grace <= 2*c.Notice+c.Spread+c.StopWithin {
			t.Errorf("%s is killed after %v while it stops: %v", name, grace, err)
		}
		if _, err := os.Stat("deploy/" + s.Build.Context + "/" + s.Build.Dockerfile); err != nil {
			t.Error(err)
		}
	}
}

// The balancer knows all gateways, asks them whether they are ready, and notices in
// time that one is not.
func TestTheBalancerNoticesInTime(t *testing.T) {
	text, err := os.ReadFile("deploy/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "uri /readyz") {
		t.Error("it does not ask /readyz")
	}
	inter := regexp.MustCompile(`inter (\w+) fall 1 `).FindStringSubmatch(string(text))
	if inter == nil {
		t.Fatal("it does not say how often it asks")
	}
	every, err := time.ParseDuration(inter[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range compose(t) {
		if !strings.HasPrefix(name, "gateway-") {
			continue
		}
		if !strings.Contains(string(text), "server "+name+" "+name+":8080\n") {
			t.Errorf("it does not know %s", name)
		}
		c, err := loadConfig(filled(s.Environment))
		if err != nil {
			t.Fatal(err)
		}
		if 2*every > c.Notice {
			t.Errorf("%s gives %v of notice, and is asked every %v", name, c.Notice, every)
		}
	}
}

func TestTheImageStartsWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	variables := regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(string(text))
	if variables == nil {
		t.Fatal("no ENV")
	}
	environment := map[string]string{}
	for _, v := range strings.Fields(variables[1]) {
		name, value, _ := strings.Cut(v, "=")
		environment[name] = value
		if !isSetting(name) {
			t.Errorf("there is no setting %s", name)
		}
	}
	c, err := loadConfig(environment)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.listen(); err == nil || !strings.Contains(err.Error(), "OCCUPY_AUTH") {
		t.Errorf("without a word on who may call it listens to everybody: %v", err)
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	built := regexp.MustCompile(`(?m)^FROM golang:([\d.]+)-`).FindStringSubmatch(string(text))
	if built == nil || !regexp.MustCompile(`(?m)^go `+regexp.QuoteMeta(built[1])+`\b`).Match(module) {
		t.Errorf("built by Go %v, which go.mod does not ask for", built)
	}
	for _, must := range []string{"\nUSER 65532:65532\n", "CGO_ENABLED=0", "-X main.version=", `["/occupy", "-healthy"]`} {
		if !strings.Contains(string(text), must) {
			t.Errorf("no %q", must)
		}
	}
}

func TestHealthyAsksTheRunningGateway(t *testing.T) {
	s := newServer(t)
	_, port, _ := strings.Cut(s.address, ":")
	for _, listen := range []string{s.address, ":" + port, "0.0.0.0:" + port} {
		if err := start(t.Context(), []string{"-healthy"}, map[string]string{"OCCUPY_LISTEN": listen}); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for _, listen := range []string{s.address, "127.0.0.1:0"} {
		if err := start(t.Context(), []string{"-healthy"}, map[string]string{"OCCUPY_LISTEN": listen}); err == nil {
			t.Errorf("%s is said to live", listen)
		}
	}
}
