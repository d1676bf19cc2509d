#include "model/ranks/agreement.hpp"

#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <string>

namespace keyswap::model {

std::uint64_t text_hash(std::string_view text, std::uint64_t before) {
    std::uint64_t hash = before;
    for (char const c : text) {
        hash = mix_bits(hash ^ static_cast<unsigned char>(c)) + 0x9e3779b97f4a7c15ULL;
    }
    return hash;
}

Expected<void>
expect_same_start(Communicator& ranks, std::string_view step, std::string_view start) {
    auto const others = differing(all_gather(ranks, step, text_hash(start)));
    if (others.empty()) {
        return {};
    }
    auto const starts = all_gather_text(ranks, step, start);
    return input_error(ranks_text(others),
                       "started as '" + starts[others.front()] + "', rank 0 as '" + starts.front() +
                           "'",
                       "start all ranks of a sort with the same options");
}

Expected<void> agree(Communicator& ranks, std::string_view step, Expected<void> const& own) {
    auto const errors = all_gather_text(ranks, step, own ? std::string() : own.error().message());
    if (!own) {
        return own;
    }
    std::vector<std::uint32_t> failed;
    for (std::uint32_t rank = 0; rank < errors.size(); ++rank) {
        if (!errors[rank].empty()) {
            failed.push_back(rank);
        }
    }
    if (failed.empty()) {
        return {};
    }
    return input_error(ranks_text(failed), errors[failed.front()], "");
}

InputError error_of(RankFailure const& failure) {
    return {ranks_text(failure.ranks()),
            failure.problem() + " (at '" + failure.step() + "')",
            "see that rank's last message"};
}

} // namespace keyswap::model
