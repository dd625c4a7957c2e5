"""keras-bert's own constructor."""

import keras_bert


def model(vocab_size=100, layers=1, heads=3, hidden_size=12, feed_forward_dim=20):
    return keras_bert.get_model(
        token_num=vocab_size,
        head_num=heads,
        transformer_num=layers,
        embed_dim=hidden_size,
        feed_forward_dim=feed_forward_dim,
        seq_len=10,
        pos_num=10,
    )
