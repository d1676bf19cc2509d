#pragma once

/// \file The one all-to-all exchange between ranks. Source: RMG paper, section 3.2.

#include "model/ranks/communicator.hpp"
#include "model/ranks/rank_keys.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"
#include "model/sorts/rmg/key_swap.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

[[nodiscard]] inline std::vector<std::uint32_t>
stopped_ranks(std::span<std::uint8_t const> stopped) {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < stopped.size(); ++rank) {
        if (stopped[rank] != 0) {
            ranks.push_back(rank);
        }
    }
    return ranks;
}

/// A rank's messages to, or from, all others: the copies of each peer, concatenated in the plan's
/// order, which both ends know.
struct RankMessages {
    std::vector<std::vector<CopyRecord>> copies; ///< [rank]
    std::vector<std::uint64_t> begin;            ///< [rank] offset of its message, in keys
    std::uint64_t count = 0;                     ///< total keys of all messages

    explicit RankMessages(std::uint32_t rank_count) : copies(rank_count), begin(rank_count) {}

    void number() {
        for (std::size_t rank = 0; rank < copies.size(); ++rank) {
            begin[rank] = count;
            for (CopyRecord const& copy : copies[rank]) {
                count += copy.count;
            }
        }
    }
    [[nodiscard]] std::uint64_t end(std::size_t rank) const {
        return rank + 1 < begin.size() ? begin[rank + 1] : count;
    }
};

/// Splits an array into one span per rank.
template <class T>
[[nodiscard]] std::vector<std::span<T>> messages_of(std::span<T> array,
                                                    RankMessages const& messages) {
    std::vector<std::span<T>> parts;
    for (std::size_t rank = 0; rank < messages.begin.size(); ++rank) {
        parts.push_back(
            array.subspan(messages.begin[rank], messages.end(rank) - messages.begin[rank]));
    }
    return parts;
}

template <class T>
void exchange_array(Communicator& ranks,
                    std::string_view step,
                    std::span<T> sent,
                    RankMessages const& out,
                    std::span<T> received,
                    RankMessages const& in) {
    std::vector<std::span<std::byte const>> sends;
    for (std::span<T> const part : messages_of(sent, out)) {
        sends.push_back(std::as_bytes(part));
    }
    std::vector<std::span<std::byte>> receives;
    for (std::span<T> const part : messages_of(received, in)) {
        receives.push_back(std::as_writable_bytes(part));
    }
    ranks.exchange(step, sends, receives);
}

/// All-to-all exchange: sends the keys of a partitioned chunk to their owning ranks.
/// \return this rank's owned keys, at the offsets of the plan's copies
/// \throws RankFailure
template <class Image, class Value>
[[nodiscard]] RankKeys<Image, Value>
exchange_keys(Communicator& ranks, Plan const& plan, RankKeys<Image, Value> partitioned) {
    GpuId const gpu{ranks.rank()};
    RankMessages out(ranks.size());
    RankMessages in(ranks.size());
    for (CopyRecord const& copy : merged_copies(plan)) {
        if (copy.source == gpu) {
            out.copies[copy.destination.value].push_back(copy);
        }
        if (copy.destination == gpu) {
            in.copies[copy.source.value].push_back(copy);
        }
    }
    out.number();
    in.number();
    auto sent = RankKeys<Image, Value>::of_size(out.count);
    for (std::size_t rank = 0; rank < out.copies.size(); ++rank) {
        std::uint64_t position = out.begin[rank];
        for (CopyRecord const& copy : out.copies[rank]) {
            copy_keys(partitioned.arrays().part(copy.source_offset, copy.count),
                      sent.arrays().part(position, copy.count));
            position += copy.count;
        }
    }
    partitioned = {};
    auto received = RankKeys<Image, Value>::of_size(in.count);
    exchange_array(ranks, "key swap", std::span(sent.keys), out, std::span(received.keys), in);
    if constexpr (!std::is_same_v<Value, NoValue>) {
        exchange_array(
            ranks, "swap of values", std::span(sent.values), out, std::span(received.values), in);
    }
    sent = {};
    auto owned = RankKeys<Image, Value>::of_size(plan.ownership[gpu.value].count);
    for (std::size_t rank = 0; rank < in.copies.size(); ++rank) {
        std::uint64_t position = in.begin[rank];
        for (CopyRecord const& copy : in.copies[rank]) {
            copy_keys(received.arrays().part(position, copy.count),
                      owned.arrays().part(copy.destination_offset, copy.count));
            position += copy.count;
        }
    }
    return owned;
}

} // namespace keyswap::model
