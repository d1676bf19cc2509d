#include "kernels/runtime/rank.hpp"

namespace keyswap::kernels {

void copy_to_other_place(Rank const& rank, ElementShape shape, KeyRange range, int from) {
    SortBuffers const at = buffers_at(rank.place, shape, range.offset);
    auto const source = static_cast<std::size_t>(from);
    auto const destination = static_cast<std::size_t>(1 - from);
    copy_async(rank.stream,
               rank.device,
               at.keys[destination],
               rank.device,
               at.keys[source],
               range.count * static_cast<std::uint64_t>(shape.key_bytes));
    copy_async(rank.stream,
               rank.device,
               at.values[destination],
               rank.device,
               at.values[source],
               range.count * static_cast<std::uint64_t>(shape.value_bytes));
}

void join_streams(std::vector<Rank> const& ranks) {
    if (ranks.size() < 2) {
        return;
    }
    // Through the first rank: 2g calls instead of g^2.
    Rank const& hub = ranks.front();
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        ranks[i].resources->ready.record(ranks[i].stream);
        ranks[i].resources->ready.make_wait(hub.stream);
    }
    hub.resources->ready.record(hub.stream);
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        hub.resources->ready.make_wait(ranks[i].stream);
    }
}

} // namespace keyswap::kernels
