package geo

import "testing"

var sink float64

func BenchmarkDistance(b *testing.B) {
	from, p := newOrigin(place{13.361389, 38.115556}), place{15.087269, 37.502669}
	b.Run("exact", func(b *testing.B) {
		for b.Loop() {
			sink += from.distance(p)
		}
	})
	b.Run("haversine", func(b *testing.B) {
		for b.Loop() {
			sink += from.haversine(p)
		}
	})
	b.Run("place", func(b *testing.B) {
		for b.Loop() {
			sink += placeOf(3479099956230698).latitude
		}
	})
}
