"""Looking into any PyTorch model: recording attention, changing it, switching parts off, attributing."""
