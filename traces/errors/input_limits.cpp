#include "traces/errors/input_limits.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace keyswap {

namespace {

constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

constexpr std::array limits{
    LimitInfo{Limit::memory,
              "memory-limit",
              std::uint64_t{1} << 30,
              any,
              "Bytes of memory that one file's content may take"},
    // Two cores regenerate this many in one to two minutes.
    LimitInfo{
        Limit::keys, "key-limit", 20'000'000'000, any, "Keys to regenerate for a trace, at most"},
    // Sorts use at most 1,024; a platform may have more to choose from. The limit is low because
    // routes are looked up between all pairs.
    LimitInfo{Limit::gpus, "gpu-limit", 2'048, 65'536, "GPUs or CPUs in a platform or a dump"},
    // 128 nodes of eight GPUs need a tenth of the default.
    LimitInfo{Limit::links,
              "link-limit",
              65'536,
              std::uint64_t{1} << 31,
              "Links and other parts of a platform"},
    // Parsing, copying and printing recurse once per level; the upper bound is safe for the stack.
    LimitInfo{Limit::depth, "depth-limit", 64, 1'000, "Nesting depth of JSON, XML or TOML"},
    LimitInfo{
        Limit::wait, "wait-limit", 10, 86'400, "Seconds to wait for the other end of a named pipe"},
};

std::array<std::uint64_t, limits.size()> standards() {
    std::array<std::uint64_t, limits.size()> values{};
    std::ranges::transform(limits, values.begin(), &LimitInfo::default_value);
    return values;
}

std::array<std::uint64_t, limits.size()>& current_limits() {
    static auto values = standards();
    return values;
}

} // namespace

std::span<LimitInfo const> input_limits() {
    return limits;
}

LimitInfo const& limit_info(Limit limit) {
    auto const& info = limits.at(static_cast<std::size_t>(limit));
    KEYSWAP_ENSURES(info.limit == limit);
    return info;
}

std::uint64_t limit_of(Limit limit) {
    return current_limits().at(static_cast<std::size_t>(limit));
}

Expected<void> set_limit(Limit limit, std::uint64_t value) {
    LimitInfo const& info = limit_info(limit);
    if (value > info.most) {
        return tl::unexpected(
            InputError{setting(info.name),
                       std::to_string(value) + " is more than the program supports",
                       "give at most " + std::to_string(info.most)});
    }
    current_limits().at(static_cast<std::size_t>(limit)) = value;
    return {};
}

void reset_limits() {
    current_limits() = standards();
}

InputError beyond_limit(Limit limit, std::string subject, std::string claim) {
    std::string const option = setting(limit_info(limit).name);
    return {std::move(subject),
            std::move(claim) + ", and " + option + " is " + std::to_string(limit_of(limit)),
            "raise " + option + " if you trust the file"};
}

} // namespace keyswap
