package extension

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxPicture is how many bytes a picture may have.
const maxPicture = 256 << 10

func (v *validation) picture(field string, a *Asset) {
	if a == nil {
		return
	}
	if a.Type != "asset" {
		v.bad(field+".type", "has to be \"asset\"", "")
	}
	if !v.names(field+".src", a.Src, imageKinds) {
		return
	}
	data := v.content.files[a.Src]
	if len(data) > maxPicture {
		v.add(Finding{File: a.Src, Rule: "is a picture of more than 256 KiB"})
	}
	if kind(a.Src) == ".svg" && active(data) {
		v.add(Finding{File: a.Src, Rule: "is a drawing that could act or load something: scripts, styles, events, entities and outside references are not allowed"})
	}
}

var (
	svgActive = regexp.MustCompile(`(?i)<\s*/?\s*(?:[a-z_][\w.-]*:)?(?:script|foreignobject|style|set|animate\w*|discard|handler|listener|audio|video|iframe|object|embed)\b|javascript:|\s(?:[a-z_][\w.-]*:)?(?:on[a-z]+|style)\s*=|xml:base|@import|<!doctype|<!entity|&#|\\`)
	svgRef    = regexp.MustCompile(`(?i)(?:href\s*=\s*["']?|url\s*\(\s*["']?)\s*([^"'\s)>]*)`)
)

// active says whether a drawing holds anything but shapes.
func active(svg []byte) bool {
	if !utf8.Valid(svg) || svgActive.Match(svg) {
		return true
	}
	for _, m := range svgRef.FindAllSubmatch(svg, -1) {
		if !strings.HasPrefix(string(m[1]), "#") {
			return true
		}
	}
	return false
}

// schemaOf is the schema that a document says it has.
func schemaOf(data []byte) string {
	var d struct {
		SchemaVersion string `json:"schemaVersion"`
	}
	if json.Unmarshal(data, &d) != nil {
		return ""
	}
	return d.SchemaVersion
}
