// Reads rules as Prometheus does: what of an expression cannot be read, which metrics it names, and which alerts fire
// over series that a test gives. Requests and answers are JSON on the standard streams.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/template"
)

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type testCase struct {
	Rule   rule              `json:"rule"`
	Series map[string]string `json:"series"`
	At     string            `json:"at"`
}

type request struct {
	Expressions []string   `json:"expressions"`
	Cases       []testCase `json:"cases"`
}

type selector struct {
	Metric   string   `json:"metric"`
	Labels   []string `json:"labels"`
	Function []string `json:"functions"`
}

type reading struct {
	Error     string     `json:"error"`
	Selectors []selector `json:"selectors"`
}

type fired struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type outcome struct {
	Error  string  `json:"error"`
	Firing []fired `json:"firing"`
}

type answer struct {
	Expressions []reading `json:"expressions"`
	Cases       []outcome `json:"cases"`
}

// Rules of a group are evaluated this often where the group says nothing else (OpenShift's own Prometheus: 30 s).
const interval = 30 * time.Second

func read(expression string) reading {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		return reading{Error: err.Error()}
	}
	var found []selector
	parser.Inspect(parsed, func(node parser.Node, path []parser.Node) error {
		vector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		each := selector{Metric: vector.Name, Labels: []string{}, Function: []string{}}
		for _, matcher := range vector.LabelMatchers {
			if matcher.Name != labels.MetricName {
				each.Labels = append(each.Labels, matcher.Name)
			}
		}
		for _, outer := range path {
			if call, ok := outer.(*parser.Call); ok {
				each.Function = append(each.Function, call.Func.Name)
			}
		}
		found = append(found, each)
		return nil
	})
	return reading{Selectors: found}
}

// Series to alerts that fire. A label set that the expression returns at every evaluation for as long as `for` fires;
// one that it leaves out once begins anew (Prometheus, rules/alerting.go, AlertingRule.Eval).
func run(each testCase) (result outcome) {
	result.Firing = []fired{}
	end, err := model.ParseDuration(each.At)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	hold := model.Duration(0)
	if each.Rule.For != "" {
		if hold, err = model.ParseDuration(each.Rule.For); err != nil {
			return outcome{Error: err.Error()}
		}
	}
	held, err := load(each.Series)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: time.Minute, LookbackDelta: 5 * time.Minute,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{})})
	since := map[string]time.Time{}
	last := promql.Vector{}
	start := time.Unix(0, 0).UTC()
	for at := start; !at.After(start.Add(time.Duration(end))); at = at.Add(interval) {
		query, err := engine.NewInstantQuery(context.Background(), held, nil, each.Rule.Expr, at)
		if err != nil {
			return outcome{Error: err.Error()}
		}
		vector, err := query.Exec(context.Background()).Vector()
		if err != nil {
			return outcome{Error: err.Error()}
		}
		now := map[string]time.Time{}
		last = last[:0]
		for _, sample := range vector {
			sample.Metric = sample.Metric.Copy()
			key := sample.Metric.DropMetricName().String()
			if _, twice := now[key]; twice {
				return outcome{Error: "vector contains metrics with the same labelset after applying alert labels"}
			}
			now[key] = at
			if first, known := since[key]; known {
				now[key] = first
			}
			if at.Sub(now[key]) >= time.Duration(hold) {
				last = append(last, sample)
			}
		}
		since = now
		query.Close()
	}
	for _, sample := range last {
		alert, err := render(each.Rule, sample, start.Add(time.Duration(end)))
		if err != nil {
			return outcome{Error: err.Error()}
		}
		result.Firing = append(result.Firing, alert)
	}
	sort.Slice(result.Firing, func(one, other int) bool {
		return fmt.Sprint(result.Firing[one]) < fmt.Sprint(result.Firing[other])
	})
	return result
}

// Labels and annotations with their templates carried out, as Alertmanager gets them.
func render(of rule, sample promql.Sample, at time.Time) (fired, error) {
	own := sample.Metric.DropMetricName().Map()
	data := template.AlertTemplateData(own, map[string]string{}, "", promql.Sample{F: sample.F, Metric: sample.Metric})
	preface := strings.Join([]string{"{{$labels := .Labels}}", "{{$externalLabels := .ExternalLabels}}",
		"{{$externalURL := .ExternalURL}}", "{{$value := .Value}}"}, "")
	expand := func(text string) (string, error) {
		expander := template.NewTemplateExpander(context.Background(), preface+text, "__alert_"+of.Alert, data,
			model.TimeFromUnixNano(at.UnixNano()), nil, &url.URL{}, nil)
		return expander.Expand()
	}
	result := fired{Labels: own, Annotations: map[string]string{}}
	result.Labels["alertname"] = of.Alert
	for name, text := range of.Labels {
		value, err := expand(text)
		if err != nil {
			return fired{}, err
		}
		result.Labels[name] = value
	}
	for name, text := range of.Annotations {
		value, err := expand(text)
		if err != nil {
			return fired{}, err
		}
		result.Annotations[name] = value
	}
	return result, nil
}

func main() {
	var asked request
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	said := answer{Expressions: []reading{}, Cases: []outcome{}}
	for _, expression := range asked.Expressions {
		said.Expressions = append(said.Expressions, read(expression))
	}
	for _, each := range asked.Cases {
		said.Cases = append(said.Cases, run(each))
	}
	if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
