package shortcut

// headers begins a block.
func (c *Conn) headers(f frame) {
	block, ok := f.content()
	id := f.id()
	if !ok || id%2 == 0 || id <= c.newest {
		c.violate()
		return
	}
	c.newest = id
	c.lone = f.has(flagEndStream)
	if f.has(flagEndHeaders) {
		c.head(id, block)
		return
	}
	c.block, c.blockID = append(c.block[:0], block...), id
}

func (c *Conn) continuation(f frame) {
	if c.blockID == 0 || len(c.block)+len(f.payload()) > 2*c.road.MaxHeader {
		c.violate()
		return
	}
	c.block = append(c.block, f.payload()...)
	if f.has(flagEndHeaders) {
		id := c.blockID
		c.blockID = 0
		c.head(id, c.block)
		c.block = nil
	}
}

// head begins a call.
func (c *Conn) head(id uint32, block []byte) {
	h, err := c.heads.read(c.ctx, c.road.Path, block)
	if err != nil {
		c.pipe.put(append(begin(nil, 1, typeHeaders, flagEndHeaders, id), 0x80)) // not HPACK either
		c.raw = true
		return
	}
	switch k, served := c.admit(id, h, h.plain && !c.lone); {
	case k != nil:
		c.gather(k)
	case served:
		c.passAll()
		c.pass(id, h, c.lone)
	}
}

// pass passes headers on.
func (c *Conn) pass(id uint32, h *head, ended bool) {
	block := c.heads.write(h)
	flags := byte(0)
	if ended {
		flags = flagEndStream
	}
	out, kind := make([]byte, 0, len(block)+2*frameHeader), byte(typeHeaders)
	for {
		n := min(len(block), largestFrame)
		if n == len(block) {
			flags |= flagEndHeaders
		}
		out = append(begin(out, n, kind, flags, id), block[:n]...)
		if block = block[n:]; len(block) == 0 {
			break
		}
		kind, flags = typeContinuation, 0
	}
	c.pipe.put(out)
}
