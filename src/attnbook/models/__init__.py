"""Models built from attention: Seq2Seq, Bahdanau, Luong, Transformer and language models."""
