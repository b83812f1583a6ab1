package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"mindroom/internal/clock"
)

// Schema is the tables of one package, grown step by step. Steps are only ever
// appended: a step that a database may have had is never edited, whitespace
// included. A step may hold several statements and is applied as a whole.
type Schema struct {
	Name  string // of the package, unique among the schemas of a database
	Steps []string
}

// SchemaError says that the database and the program do not fit together.
type SchemaError struct {
	Schema string
	Step   int // counted from 1
	Reason string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("store: schema %s, step %d: %s", e.Schema, e.Step, e.Reason)
}

const stepsTable = `CREATE TABLE IF NOT EXISTS schema_steps (
	name TEXT NOT NULL,
	step BIGINT NOT NULL,
	digest TEXT NOT NULL,
	applied_at TEXT NOT NULL,
	PRIMARY KEY (name, step)
)`

const newer = "the database was written by a newer version: use that version, or restore a backup made by this one"

// Known fails with *SchemaError when the database has a step that is not among
// schemas: of a newer version, perhaps of a package that this one does not have.
// Open does not look for such packages, because a program may need a part of the
// tables only.
func (db *DB) Known(ctx context.Context, schemas ...Schema) error {
	steps := map[string]int{}
	for _, s := range schemas {
		steps[s.Name] = len(s.Steps)
	}
	return db.Read(ctx, func(r *Reader) error {
		return Each(r, func(rows *Rows) error {
			var name string
			var step int
			if err := rows.Scan(&name, &step); err != nil || step <= steps[name] {
				return err
			}
			return &SchemaError{name, step, newer}
		}, "SELECT name, max(step) FROM schema_steps GROUP BY name ORDER BY name")
	})
}

// migrate applies what is missing, one transaction a step.
func migrate(c *conn, schemas []Schema) error {
	if err := c.control(stepsTable); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, schema := range schemas {
		if schema.Name == "" || seen[schema.Name] {
			return &SchemaError{Schema: schema.Name, Reason: "the name is empty or used twice"}
		}
		seen[schema.Name] = true
		if err := migrateOne(c, schema); err != nil {
			return err
		}
	}
	c.forget() // statements made before a table changed
	return nil
}

func migrateOne(c *conn, schema Schema) error {
	applied := 0
	s := session{conn: c, ctx: context.Background(), failed: classify}
	err := Each(&s, func(rows *Rows) error {
		var step int
		var digest string
		if err := rows.Scan(&step, &digest); err != nil {
			return err
		}
		applied++
		switch {
		case step > len(schema.Steps):
			return &SchemaError{schema.Name, step, newer}
		case step != applied:
			return &SchemaError{schema.Name, step, "an earlier step is missing from the database: restore a backup"}
		case digest != digestOf(schema.Steps[step-1]):
			return &SchemaError{schema.Name, step, "the step was changed after it had been applied: append a new step instead"}
		}
		return nil
	}, "SELECT step, digest FROM schema_steps WHERE name = $1 ORDER BY step", schema.Name)
	if err != nil {
		return err
	}
	for i := applied; i < len(schema.Steps); i++ {
		if err := applyStep(c, schema, i); err != nil {
			return fmt.Errorf("schema %s, step %d: %w", schema.Name, i+1, err)
		}
	}
	return nil
}

func applyStep(c *conn, schema Schema, i int) error {
	if err := c.control("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	_, err := c.sql.ExecContext(context.Background(), schema.Steps[i])
	if err == nil {
		_, err = c.sql.ExecContext(context.Background(), "INSERT INTO schema_steps (name, step, digest, applied_at) VALUES ($1, $2, $3, $4)",
			schema.Name, i+1, digestOf(schema.Steps[i]), clock.Wall(nil).Stamp())
	}
	if err == nil {
		return c.control("COMMIT")
	}
	return errors.Join(classify(err), c.control("ROLLBACK"))
}

func digestOf(step string) string {
	sum := sha256.Sum256([]byte(step))
	return hex.EncodeToString(sum[:])
}
