package skill_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestC200_WhatAKilledCollectionLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, dir, nil)
	used, unused := put(t, store, one("x/a", "alpha", "first")), put(t, store, one("x/b", "beta", "second"))
	for _, b := range []string{used.Digest, unused.Digest} {
		if err := os.Rename(filepath.Join(dir, "skills", b), filepath.Join(dir, "skills", ".collecting-"+b)); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := open(t, dir, nil).Collect(t.Context(), time.Time{}, func() (map[string]bool, error) {
		return map[string]bool{used.Digest: true}, nil
	})
	if err != nil || !slices.Equal(removed, []string{unused.Digest}) {
		t.Errorf("removed are %v, %v", removed, err)
	}
	if got := names(t, filepath.Join(dir, "skills")); !slices.Equal(got, []string{used.Digest}) {
		t.Errorf("the store holds %v", got)
	}
}

func TestC200_LeasedMeanwhileIsPutBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, dir, nil)
	b := put(t, store, one("x/a", "alpha", "first"))
	before := tree(t, filepath.Join(dir, "skills"))
	unreadable := errors.New("unreadable")
	for name, second := range map[string]func() (map[string]bool, error){
		"leased":     func() (map[string]bool, error) { return map[string]bool{b.Digest: true}, nil },
		"unreadable": func() (map[string]bool, error) { return nil, unreadable },
	} {
		asked := 0
		removed, err := store.Collect(t.Context(), time.Now().Add(time.Hour), func() (map[string]bool, error) {
			if asked++; asked == 1 {
				return nil, nil
			}
			return second()
		})
		if len(removed) > 0 || errors.Is(err, unreadable) != (name == "unreadable") {
			t.Errorf("%s: %v, %v", name, removed, err)
		}
		if got := tree(t, filepath.Join(dir, "skills")); len(got) != len(before) {
			t.Errorf("%s: the store holds %v", name, got)
		}
	}
}
