package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// archived is what is in an archive beside the program: files, and folders with all
// that is in them.
var archived = []string{"LICENSE", "README.md", "deploy/licenses.txt", "deploy/systemd", "deploy/kubernetes", "deploy/helm"}

// pack makes an archive of the program and what goes with it. Owners, times and the
// order are no accident, so that the bytes are the same each time.
func (r *release) pack(name, program string) error {
	var buf bytes.Buffer
	zipped := gzip.NewWriter(&buf)
	packed := tar.NewWriter(zipped)
	folder := strings.TrimSuffix(filepath.Base(name), ".tar.gz")
	if err := r.add(packed, program, path.Join(folder, "troupe")); err != nil {
		return err
	}
	for _, part := range archived {
		err := filepath.WalkDir(filepath.Join(r.root, part), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return r.add(packed, file, path.Join(folder, relative(r.root, file)))
		})
		if err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, buf.Bytes(), 0o644)
}

func (r *release) add(to *tar.Writer, file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	head := &tar.Header{Name: name, Mode: mode, Size: int64(len(text)), ModTime: r.time, Format: tar.FormatPAX}
	if err := to.WriteHeader(head); err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}

// The parts of a bill of materials in CycloneDX's form, version 1.5
// (https://cyclonedx.org/docs/1.5/json/), that are used here.
type (
	bom struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   bomMetadata `json:"metadata"`
		Components []component `json:"components"`
	}
	bomMetadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string          `json:"type"`
		Ref      string          `json:"bom-ref"`
		Name     string          `json:"name"`
		Version  string          `json:"version"`
		PURL     string          `json:"purl"`
		Licenses []licenseChoice `json:"licenses,omitempty"`
	}
	licenseChoice struct {
		License struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

func newComponent(kind, name, version, license string) component {
	purl := "pkg:golang/" + name + "@" + version
	c := component{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl}
	if license != "NOASSERTION" {
		c.Licenses = make([]licenseChoice, 1)
		c.Licenses[0].License.ID = license
	}
	return c
}

// writeSBOM writes what a program is built of, as it says itself.
func (r *release) writeSBOM(ctx context.Context, name, program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("reading what the program is built of: %w", err)
	}
	licenses, err := licensesOf(ctx, r.root)
	if err != nil {
		return err
	}
	b := bom{Format: "CycloneDX", Spec: "1.5", Version: 1}
	b.Metadata.Timestamp = r.time.Format("2006-01-02T15:04:05Z")
	b.Metadata.Component = newComponent("application", info.Main.Path, "v"+r.version, "MIT")
	b.Components = append(b.Components, newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause"))
	for _, m := range info.Deps {
		license, known := licenses[m.Path]
		if !known {
			return fmt.Errorf("%s is in the program, and nobody knows its licence", m.Path)
		}
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, newComponent("library", m.Path, m.Version, license))
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// sumsFile is checked by sha256sum -c.
const sumsFile = "SHA256SUMS"

// writeSums writes the checksums of all files in a folder.
func writeSums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), entry.Name())
	}
	return os.WriteFile(filepath.Join(folder, sumsFile), lines.Bytes(), 0o644)
}
