// What only this check needs, so that the modules' users never download it.

module github.com/weightools/safetensors/cmd/weigh/internal/sarifcheck

go 1.26.0

require (
	github.com/owenrumney/go-sarif/v3 v3.3.1
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/weightools/safetensors v0.1.0
	github.com/weightools/safetensors/cmd/weigh v0.1.0
	github.com/weightools/safetensors/pickle v0.1.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)
