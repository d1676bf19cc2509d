#include "simulator/cost/rate_profile.hpp"

#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"

#include <filesystem>
#include <system_error>

namespace keyswap::simulator {

namespace {

constexpr std::string_view file_prefix = "rates-"; ///< of the shipped files' names

void add_partition(std::vector<ProfileConstant>& all, PartitionCosts& costs) {
    all.push_back({"partition.direct_tile", "keys", &costs.direct_tile_keys});
    all.push_back({"partition.warp_tile", "keys", &costs.warp_tile_keys});
    all.push_back({"partition.block_tile", "keys", &costs.block_tile_keys});
    all.push_back({"partition.tile", "ps/tile", &costs.tile_ps});
    all.push_back({"partition.entry", "ps/entry", &costs.entry_ps});
    all.push_back({"partition.vote", "ps/key", &costs.vote_ps});
    all.push_back({"partition.divide", "ps/key", &costs.divide_ps});
    all.push_back({"partition.divide_block", "ps/key", &costs.divide_block_ps});
    all.push_back({"partition.search", "ps/level", &costs.search_ps});
    all.push_back({"partition.run", "ps/run", &costs.run_ps});
    all.push_back({"partition.block", "ps/key", &costs.block_ps});
    all.push_back({"partition.segment", "ps/key", &costs.segment_ps});
    all.push_back({"partition.label", "ps/key", &costs.label_ps});
    all.push_back({"partition.split", "ps/key", &costs.split_ps});
    all.push_back({"partition.shared", "KiB", &costs.shared_KiB});
}

void add_fused(std::vector<ProfileConstant>& all, FusedCosts& costs) {
    all.push_back({"fused.rank", "ps/key", &costs.rank_ps});
    all.push_back({"fused.vote", "ps/key", &costs.vote_ps});
    all.push_back({"fused.word", "ps/word", &costs.word_ps});
    all.push_back({"fused.walk", "ps/key", &costs.walk_ps});
    all.push_back({"fused.level", "ps/level", &costs.level_ps});
    all.push_back({"fused.quotient", "ps/key", &costs.quotient_ps});
    all.push_back({"fused.split", "ps/key", &costs.split_ps});
    all.push_back({"fused.atomic", "ps/key", &costs.atomic_ps});
}

/// All constants of a law. The first three are required.
std::vector<ProfileConstant> constants_of_law(std::string const& method, SortLaw& law) {
    std::string const prefix = "sort." + method + ".";
    return {{prefix + "cycles", "cycles/key", &law.cycles},
            {prefix + "digit_bits", "bits", &law.digit_bits},
            {prefix + "launch", "us", &law.launch_us},
            {prefix + "moves", "of a step", &law.moves},
            {prefix + "value", "of a step", &law.value},
            {prefix + "bound", "B", &law.bound_bytes},
            {prefix + "spill", "cycles/key", &law.spill_cycles},
            {prefix + "cache", "MB", &law.cache_MB}};
}

constexpr std::size_t law_constants_required = 3;

/// Creates the groups and laws that the file contains.
Expected<void> find_groups(toml::table const& table, RateProfile& profile, std::string_view file) {
    auto const find = [&table](std::string_view name, auto& group) {
        if (table.contains(name)) {
            group.emplace();
        }
    };
    find("partition", profile.partition);
    find("radix", profile.radix);
    find("library_histogram", profile.library_histogram);
    find("fused", profile.fused);
    find("bit_split", profile.bit_split);
    if (!table.contains("sort")) {
        return {};
    }
    auto const* const sorts = table["sort"].as_table();
    if (sorts == nullptr || sorts->empty()) {
        return input_error(file, "'sort' is not a table of sorts", "write [sort.METHOD]");
    }
    for (auto const& [key, node] : *sorts) {
        std::string const method(key.str());
        if (method.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") !=
            std::string::npos) {
            return input_error(file,
                               "a sort's name has other characters than small letters, digits "
                               "and hyphens",
                               "name it as 'keyswap algorithms' does");
        }
        profile.sorts[method];
    }
    return {};
}

/// Rejects values that would divide by zero or give negative counts.
Expected<void> check_values(RateProfile& profile, std::string_view file) {
    for (ProfileConstant const& constant : constants_of(profile)) {
        bool const divides = constant.unit == "GB/s" || constant.unit == "keys" ||
                             constant.unit == "GHz" || constant.unit == "cores";
        if (divides && *constant.value == 0.0) {
            return input_error(file, "'" + constant.name + "' is 0", "give what was measured");
        }
    }
    if (profile.radix && profile.radix->pass_bits < 1.0) {
        return input_error(file, "'radix.pass_bits' is below 1", "give whole bits of a pass");
    }
    return {};
}

} // namespace

std::vector<ProfileConstant> constants_of(RateProfile& profile) {
    std::vector<ProfileConstant> all;
    bool const streams = profile.partition || profile.radix || profile.fused || profile.bit_split;
    if (streams) {
        all.push_back({"memory.bandwidth", "GB/s", &profile.bandwidth_GBps});
        all.push_back({"memory.scan_launch", "us", &profile.scan_launch_us});
    }
    if (profile.origins.contains("memory.size")) {
        all.push_back({"memory.size", "GB", &profile.memory_GB});
    }
    if (!profile.sorts.empty()) {
        all.push_back({"processor.cores", "cores", &profile.cores});
        all.push_back({"processor.clock", "GHz", &profile.clock_GHz});
    }
    if (profile.partition) {
        add_partition(all, *profile.partition);
    }
    if (profile.radix) {
        RadixCosts& costs = *profile.radix;
        all.push_back({"radix.pass_bits", "bits", &costs.pass_bits});
        all.push_back({"radix.bandwidth", "GB/s", &costs.bandwidth_GBps});
        all.push_back({"radix.key", "ps/key", &costs.key_ps});
        all.push_back({"radix.digit", "ps/counter", &costs.digit_ps});
        all.push_back({"radix.value_digit", "ps/counter", &costs.value_digit_ps});
    }
    if (profile.library_histogram) {
        LibraryHistogramCosts& costs = *profile.library_histogram;
        all.push_back({"library_histogram.count", "ps/key", &costs.count_ps});
        all.push_back({"library_histogram.conflict", "ps/key", &costs.conflict_ps});
        all.push_back({"library_histogram.search", "ps/level", &costs.search_ps});
    }
    if (profile.fused) {
        add_fused(all, *profile.fused);
    }
    if (profile.bit_split) {
        BitSplitCosts& costs = *profile.bit_split;
        all.push_back({"bit_split.tile", "keys", &costs.tile_keys});
        all.push_back({"bit_split.count", "ps/key", &costs.count_ps});
        all.push_back({"bit_split.entry", "ps/entry", &costs.entry_ps});
        all.push_back({"bit_split.scan_launch", "us", &costs.scan_launch_us});
        all.push_back({"bit_split.scan", "ps/entry", &costs.scan_ps});
        all.push_back({"bit_split.place", "ps/key", &costs.place_ps});
        all.push_back({"bit_split.bit", "ps/bit", &costs.bit_ps});
    }
    for (auto& [method, law] : profile.sorts) {
        auto const constants = constants_of_law(method, law);
        for (std::size_t index = 0; index < constants.size(); ++index) {
            ProfileConstant const& constant = constants[index];
            if (index < law_constants_required || profile.origins.contains(constant.name)) {
                all.push_back(constant);
            }
        }
    }
    return all;
}

Expected<RateProfile> parse_rate_profile(std::string_view text, std::string_view file) {
    KEYSWAP_TRY(auto const table,
                parse_toml(text, file, "see a shipped rate profile for the format"));
    RateProfile profile;
    profile.name = table["name"].value_or(std::string());
    profile.description = table["description"].value_or(std::string());
    if (profile.name.empty()) {
        return input_error(file, "'name' is missing", "add name = \"...\"");
    }
    KEYSWAP_RETURN_IF_ERROR(find_groups(table, profile, file));
    for (auto& [method, law] : profile.sorts) {
        for (ProfileConstant const& constant : constants_of_law(method, law)) {
            if (table.at_path(constant.name)) {
                profile.origins[constant.name]; // created here, read below
            }
        }
    }
    auto constants = constants_of(profile);
    if (!constants.empty() && table.at_path("memory.size")) {
        profile.origins["memory.size"]; // created here, read below
        constants = constants_of(profile);
    }
    if (constants.empty()) {
        return input_error(
            file,
            "has none of the tables partition, radix, library_histogram, fused, bit_split and sort",
            "compare it with a shipped rate profile");
    }
    KEYSWAP_RETURN_IF_ERROR(read_constants(table, constants, profile.origins, file));
    KEYSWAP_RETURN_IF_ERROR(check_values(profile, file));
    return profile;
}

std::optional<std::uint64_t> elements_that_fit(RateProfile const& profile,
                                               std::uint64_t element_bytes) {
    if (profile.memory_GB == 0.0) {
        return std::nullopt;
    }
    constexpr double most = 1.8e19;
    return static_cast<std::uint64_t>(
        std::min(profile.memory_GB * 1e9 / (2.0 * static_cast<double>(element_bytes)), most));
}

std::string write_rate_profile(RateProfile const& profile) {
    RateProfile copy = profile;
    return "name = " + toml_quoted(profile.name) +
           "\ndescription = " + toml_quoted(profile.description) + "\n" +
           write_constants(constants_of(copy), profile.origins);
}

Expected<RateProfile> load_rate_profile(std::string const& name_or_path) {
    KnownNames known;
    for (EmbeddedText const& profile : embedded_rate_profiles()) {
        std::string_view const name = profile.name.substr(file_prefix.size());
        if (name == name_or_path) {
            return parse_rate_profile(profile.text, profile.name);
        }
        known.add(name);
    }
    if (std::error_code code; !std::filesystem::exists(name_or_path, code)) {
        return input_error("device '" + name_or_path + "'",
                           "is neither a device with a shipped rate profile nor a "
                           "file",
                           known.remedy(name_or_path, "shipped: "));
    }
    KEYSWAP_TRY(auto const text, read_toml_file(name_or_path));
    return parse_rate_profile(text, name_or_path);
}

std::vector<std::string> shipped_rate_profiles() {
    std::vector<std::string> names;
    for (EmbeddedText const& profile : embedded_rate_profiles()) {
        names.emplace_back(profile.name.substr(file_prefix.size()));
    }
    return names;
}

} // namespace keyswap::simulator
