// Package script is the toolkit with which an agent starts and controls its
// background scripts: exactly five functions with the document's parameters and
// defaults (S86). It is a thin face of the run manager; every answer is one
// JSON object in a string, with sorted keys.
package script
