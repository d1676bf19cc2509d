#include "kernels/rank.hpp"

namespace keyswap::kernels {

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
