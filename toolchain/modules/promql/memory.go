package main

import (
	"context"
	"sort"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// Series in memory. Prometheus's own store would bring the clients of three clouds along.
type memory []held

type held struct {
	labels  labels.Labels
	samples []chunks.Sample
}

type point struct {
	at    int64
	value float64
}

func (p point) ST() int64                     { return 0 }
func (p point) T() int64                      { return p.at }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }

// Series in the notation of Prometheus's unit tests, `0x10 1+0x5 _ stale`, one value each interval.
func load(written map[string]string) (memory, error) {
	var result memory
	for name, values := range written {
		found, sequence, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(name + " " + values)
		if err != nil {
			return nil, err
		}
		each := held{labels: found}
		for place, value := range sequence {
			if !value.Omitted {
				at := (time.Duration(place) * interval).Milliseconds()
				each.samples = append(each.samples, point{at, value.Value})
			}
		}
		result = append(result, each)
	}
	sort.Slice(result, func(one, other int) bool { return labels.Compare(result[one].labels, result[other].labels) < 0 })
	return result, nil
}

func (m memory) Querier(from, to int64) (storage.Querier, error) { return querier{m, from, to}, nil }

type querier struct {
	series   memory
	from, to int64
}

func (q querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
	for _, each := range q.series {
		if !matches(each.labels, matchers) {
			continue
		}
		var within []chunks.Sample
		for _, sample := range each.samples {
			if sample.T() >= q.from && sample.T() <= q.to {
				within = append(within, sample)
			}
		}
		if len(within) > 0 {
			found = append(found, storage.NewListSeries(each.labels, within))
		}
	}
	return &listed{series: found}
}

func matches(of labels.Labels, matchers []*labels.Matcher) bool {
	for _, each := range matchers {
		if !each.Matches(of.Get(each.Name)) {
			return false
		}
	}
	return true
}

func (querier) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

func (querier) Close() error { return nil }

type listed struct {
	series []storage.Series
	next   int
}

func (l *listed) Next() bool                        { l.next++; return l.next <= len(l.series) }
func (l *listed) At() storage.Series                { return l.series[l.next-1] }
func (l *listed) Err() error                        { return nil }
func (l *listed) Warnings() annotations.Annotations { return nil }
