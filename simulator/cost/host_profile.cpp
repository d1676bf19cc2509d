#include "simulator/cost/host_profile.hpp"

#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/platform/numa_mode.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace keyswap::simulator {

namespace {

/// Reads a non-negative number; nullopt if absent or invalid.
std::optional<double> number(toml::table const& table, std::string_view key) {
    auto const value = table[key].value<double>();
    return value && *value >= 0.0 ? value : std::nullopt;
}

Expected<void> read_sort(toml::table const& table, HostProfile& profile, std::string_view file) {
    CpuSortCost cost;
    cost.algorithm = table["algorithm"].value_or(std::string());
    cost.threads = table["threads"].value_or(0);
    cost.origin = table["origin"].value_or(std::string());
    auto const base = number(table, "base_ms");
    auto const key = number(table, "key_ps");
    auto const level = number(table, "level_ps");
    auto const last_pass = number(table, "last_pass_ms");
    if (auto const* sizes = table["measured_keys"].as_array()) {
        for (auto const& size : *sizes) {
            cost.measured_keys.push_back(
                static_cast<std::uint64_t>(std::max(size.value_or(0.0), 0.0)));
        }
    }
    std::ranges::sort(cost.measured_keys);
    bool const has_sizes = !cost.measured_keys.empty() && cost.measured_keys.front() > 0;
    if (cost.algorithm.empty() || cost.threads <= 0 || cost.origin.empty() || !base || !key ||
        !level || !last_pass || !has_sizes) {
        return input_error(
            file,
            "a [[sort]] lacks algorithm, threads, base_ms, key_ps, level_ps, last_pass_ms, "
            "measured_keys or origin, or one is negative",
            "compare it with a shipped profile");
    }
    cost.base_ms = *base;
    cost.key_ps = *key;
    cost.level_ps = *level;
    cost.last_pass_ms = *last_pass;
    profile.sorts.push_back(std::move(cost));
    return {};
}

/// Fraction of 2^24 evenly filled buckets that hold more than 64 keys. The counts are Poisson
/// distributed, approximated by the normal distribution: a mean of 60 keys per bucket leaves a
/// quarter of them above.
double share_of_large_buckets(double keys) {
    constexpr double buckets = 1 << 24;
    constexpr double small_max = 64.0;
    double const mean = keys / buckets;
    return mean > 0.0 ? 0.5 * std::erfc((small_max + 0.5 - mean) / std::sqrt(2.0 * mean)) : 0.0;
}

} // namespace

double cpu_sort_seconds(CpuSortCost const& cost, std::uint64_t key_count, std::size_t key_bytes) {
    auto const keys = static_cast<double>(key_count);
    double const width = static_cast<double>(key_bytes) / 4.0;
    double const levels = key_count > 1 ? std::log2(keys) : 0.0;
    double const last_pass_ms = cost.last_pass_ms * share_of_large_buckets(keys);
    return (cost.base_ms + last_pass_ms) * 1e-3 +
           keys * width * (cost.key_ps + cost.level_ps * levels) * 1e-12;
}

double octaves_from_measured(CpuSortCost const& cost, std::uint64_t key_count) {
    double const keys = std::max(static_cast<double>(key_count), 1.0);
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint64_t const measured : cost.measured_keys) {
        nearest = std::min(nearest, std::abs(std::log2(keys / static_cast<double>(measured))));
    }
    return std::max(nearest, 1.0);
}

Expected<HostProfile> parse_host_profile(std::string_view text, std::string_view file) {
    KEYSWAP_TRY(auto const table,
                parse_toml(text, file, "see a shipped host profile for the format"));
    HostProfile profile;
    profile.name = table["name"].value_or(std::string());
    if (auto const platforms = table["platforms"]) {
        auto const* const names = platforms.as_array();
        if (names == nullptr || !names->is_homogeneous<std::string>()) {
            return input_error(
                file, "'platforms' is not a list of names", "write platforms = [\"dgx-a100\"]");
        }
        for (auto const& name : *names) {
            profile.platforms.push_back(name.value_or(std::string()));
        }
    }
    auto const* merge = table["merge"].as_table();
    auto const byte = merge != nullptr ? number(*merge, "byte_ps") : std::nullopt;
    auto const base = merge != nullptr ? number(*merge, "base_ms") : std::nullopt;
    if (profile.name.empty() || !byte || !base) {
        return input_error(file,
                           "'name', 'merge.byte_ps' or 'merge.base_ms' is missing or negative",
                           "compare it with a shipped profile");
    }
    profile.merge_byte_ps = *byte;
    profile.merge_base_ms = *base;
    profile.merge_origin = (*merge)["origin"].value_or(std::string());
    if (auto const* sorts = table["sort"].as_array()) {
        for (auto const& sort : *sorts) {
            if (!sort.is_table()) {
                return input_error(file, "'sort' is not a list of tables", "write [[sort]]");
            }
            KEYSWAP_RETURN_IF_ERROR(read_sort(*sort.as_table(), profile, file));
        }
    }
    std::ranges::sort(profile.sorts, {}, [](CpuSortCost const& cost) {
        return std::pair{cost.algorithm, cost.threads};
    });
    return profile;
}

Expected<HostProfile> host_profile_of(std::string_view platform) {
    std::string_view const machine = split_numa_mode(platform).platform;
    for (EmbeddedText const& embedded : embedded_host_profiles()) {
        auto profile = parse_host_profile(embedded.text, embedded.name);
        if (!profile ||
            std::ranges::find(profile->platforms, machine) != profile->platforms.end()) {
            return profile;
        }
    }
    EmbeddedText const first = embedded_host_profiles().front();
    return parse_host_profile(first.text, first.name);
}

std::optional<CpuSortCost>
cpu_sort_cost(HostProfile const& profile, std::string_view algorithm, std::optional<int> threads) {
    std::optional<CpuSortCost> best;
    for (CpuSortCost const& cost : profile.sorts) {
        if (cost.algorithm == algorithm && (!best || !threads || cost.threads <= *threads)) {
            best = cost;
        }
    }
    // Fewer threads than measured: each has its own core and keeps its speed.
    if (best && threads && *threads < best->threads) {
        double const fewer = static_cast<double>(best->threads) / std::max(*threads, 1);
        best->key_ps *= fewer;
        best->level_ps *= fewer;
        best->last_pass_ms *= fewer;
    }
    return best;
}

} // namespace keyswap::simulator
