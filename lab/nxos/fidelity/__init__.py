"""How far the lab's switches are from real ones: replies recorded on a switch, held against the lab's own."""
