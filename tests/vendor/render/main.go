// Renders manifests that NVIDIA's launch kit generates from templates of Go's text/template: {"data": …, "files":
// {name: template}} on standard input, {name: text} on standard output. The functions are what the templates' names
// and the kit's documentation say; the kit's own are not linked.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

type object = map[string]any

func part(text string) string {
	if text == "" {
		return ""
	}
	return "-" + text
}

func bounded(limit int, text string) string {
	if len(text) > limit {
		text = text[:limit]
	}
	return part(text)
}

func release(text string) [2]int {
	var found [2]int
	for index, word := range strings.SplitN(text, ".", 3) {
		if index < len(found) {
			found[index], _ = strconv.Atoi(word)
		}
	}
	return found
}

func before(one, other string) bool {
	a, b := release(one), release(other)
	return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])
}

// Ports of the backend fabric, in order of their addresses.
func ports(cluster object) []object {
	var found []object
	for _, each := range cluster["PFs"].([]any) {
		if port := each.(object); port["Traffic"] == "east-west" {
			found = append(found, port)
		}
	}
	return found
}

func addresses(cluster object) []string {
	var found []string
	for _, port := range ports(cluster) {
		found = append(found, port["PciAddress"].(string))
	}
	sort.Strings(found)
	return found
}

var functions = template.FuncMap{
	"suffix":                       part,
	"boundedSuffix":                bounded,
	"nnpName":                      func(text string) string { return text },
	"versionLT":                    before,
	"versionGE":                    func(one, other string) bool { return !before(one, other) },
	"yamlQuote":                    strconv.Quote,
	"sub":                          func(one, other int) int { return one - other },
	"nicConfigurationType":         func(cluster object) any { return ports(cluster)[0]["DeviceID"] },
	"nicConfigurationPCIAddresses": addresses,
	"mofedEnv":                     func(driver object) any { return driver["Env"] },
	"validationImage":              func(operator object) any { return operator["ValidationImage"] },
	"secondaryNetworkMetaPlugins":  func(profile object, flavor string) string { return "" },
	"nicConfigurationLinkType": func(fabric string) string {
		return map[string]string{"ethernet": "Ethernet", "infiniband": "Infiniband"}[fabric]
	},
	"nsSuffix": func(namespaces []any, current string) string {
		if len(namespaces) < 2 {
			return ""
		}
		return part(current)
	},
	"gpuResourceCount": func(count any, all []any) int { return len(all) },
}

func main() {
	var given struct {
		Data  object
		Files map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fail(err)
	}
	made := map[string]string{}
	for name, text := range given.Files {
		parsed, err := template.New(name).Funcs(functions).Option("missingkey=error").Parse(text)
		if err != nil {
			fail(err)
		}
		var out bytes.Buffer
		if err := parsed.Execute(&out, given.Data); err != nil {
			fail(err)
		}
		made[name] = out.String()
	}
	if err := json.NewEncoder(os.Stdout).Encode(made); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
