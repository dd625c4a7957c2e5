"""keras-bert's own constructor."""

import keras_bert


def model(vocab_size=100, layers=1, feed_forward_dim=20):
    """BERT for training, 12 wide."""
    return keras_bert.get_model(
        token_num=vocab_size,
        head_num=3,
        transformer_num=layers,
        embed_dim=12,
        feed_forward_dim=feed_forward_dim,
        seq_len=10,
        pos_num=10,
    )
