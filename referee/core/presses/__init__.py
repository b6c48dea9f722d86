"""From edges to presses, and from presses to a verdict."""
