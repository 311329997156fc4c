"""SVG figures drawn from values; colours are CSS custom properties."""
