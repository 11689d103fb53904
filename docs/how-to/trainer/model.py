"""A small language model, to be replaced by yours: `Model(...)` takes tokens and returns a score for each next one."""

import torch
from torch import nn


class Model(nn.Module):
    """A decoder of `layers` blocks, without dropout: what it computes follows from weights and tokens alone."""

    def __init__(self, words: int, width: int, layers: int, heads: int, context: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
            for _ in range(layers)
        )
        self.last = nn.LayerNorm(width)
        self.scores = nn.Linear(width, words, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((context, context), float("-inf")), 1), persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores by sequence, place and word."""
        found = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            found = block(found, src_mask=self.mask[: tokens.shape[1], : tokens.shape[1]])
        return self.scores(self.last(found))
