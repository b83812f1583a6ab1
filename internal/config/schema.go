package config

import "mindroom/internal/config/format"

// Schema is the JSON Schema of a configuration for editors, ready to be encoded: what the loader checks in one place, the
// settings of every toolkit included. What format.Schema says of its limits holds.
func Schema(catalog Catalog) map[string]any {
	d := &decoder{catalog: catalog}
	var offers []format.Offer
	for _, name := range d.toolNames() {
		fields, _ := catalog.Fields(name)
		offers = append(offers, format.Offer{Name: name, Settings: toolObject(name, fields, false)})
	}
	return format.Schema(offers)
}
