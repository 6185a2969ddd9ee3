package supervise

import "sync"

// A sharedMap is a map that all supervisors of a rush use. Its zero value is empty. What
// a key lacks is the zero value.
type sharedMap[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
}

// at returns the value of a key.
func (m *sharedMap[K, V]) at(key K) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[key]
}

// change replaces the value of a key by what next makes of it, and returns the old one.
func (m *sharedMap[K, V]) change(key K, next func(V) V) (old V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[K]V{}
	}
	old = m.all[key]
	m.all[key] = next(old)
	return old
}

// put sets the value of a key, and returns the old one.
func (m *sharedMap[K, V]) put(key K, value V) (old V) {
	return m.change(key, func(V) V { return value })
}

// drop removes a key, and returns its value.
func (m *sharedMap[K, V]) drop(key K) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.all[key]
	delete(m.all, key)
	return old
}
