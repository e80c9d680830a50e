package sharedlib

import (
	"bytes"
	"encoding/binary"
)

// The form of the list that ldconfig writes (glibc's dl-cache.h). An older form may stand before it.
const (
	cacheMagic  = "glibc-ld.so.cache1.1"
	cacheHeader = 48 // bytes; the count of entries follows the magic
	cacheEntry  = 24 // flags, where the name and the path begin, two words of no use here, and
	cacheSpeed  = 16 // what the processor must be able to do, at this place of an entry; 0 for any
)

// parseCache returns the paths of each name in the list. It leaves out those for better processors, which the loader prefers: the
// libraries that are judged here have none.
func parseCache(list []byte) map[string][]string {
	at := bytes.Index(list, []byte(cacheMagic))
	if at < 0 || len(list)-at < cacheHeader {
		return nil
	}
	list = list[at:]
	count := uint64(binary.LittleEndian.Uint32(list[len(cacheMagic):]))
	if count > uint64(len(list)-cacheHeader)/cacheEntry {
		return nil
	}
	text := func(at []byte) string {
		begin := min(uint64(binary.LittleEndian.Uint32(at)), uint64(len(list)))
		word, _, _ := bytes.Cut(list[begin:], []byte{0})
		return string(word)
	}
	paths := make(map[string][]string, count)
	for entries := list[cacheHeader:][:count*cacheEntry]; len(entries) > 0; entries = entries[cacheEntry:] {
		if binary.LittleEndian.Uint64(entries[cacheSpeed:]) != 0 {
			continue
		}
		name := text(entries[4:])
		paths[name] = append(paths[name], text(entries[8:]))
	}
	return paths
}
