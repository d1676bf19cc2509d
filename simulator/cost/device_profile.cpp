#include "simulator/cost/device_profile.hpp"

#include "simulator/cost/device_profile_embedded.hpp"
#include "simulator/platform/toml_text.hpp"
#include "traces/errors/contracts.hpp"

#include <toml++/toml.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace keyswap::simulator {

namespace {

InputError wrong(std::string_view file, std::string problem, std::string remedy) {
    return InputError{std::string(file), std::move(problem), std::move(remedy)};
}

/// The number in "3.9 ps/key" where the unit is as expected.
std::optional<double> number_with_unit(std::string_view text, std::string_view unit) {
    double value = 0.0;
    auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!rest.empty() && rest.front() == ' ') {
        rest.remove_prefix(1);
    }
    if (code != std::errc{} || rest != unit || !std::isfinite(value) || value < 0.0) {
        return std::nullopt;
    }
    return value;
}

/// Shortest decimals that read back equal.
std::string decimals(double value) {
    char buffer[64];
    auto const [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
    return code == std::errc{} ? std::string(buffer, end) : std::string("0");
}

/// TOML's basic string.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (char const letter : text) {
        if (letter == '"' || letter == '\\') {
            out += '\\';
        }
        out += letter;
    }
    return out + "\"";
}

std::optional<InputError> read_constant(toml::table const& table,
                                        ProfileConstant& constant,
                                        DeviceProfile& profile,
                                        std::string_view file) {
    auto const node = table.at_path(constant.name);
    if (!node.is_table()) {
        return wrong(file,
                     "constant '" + constant.name + "' is missing",
                     "add " + constant.name + " = { value = \"... " + constant.unit +
                         "\", origin = \"measured: ...\" }");
    }
    auto const text = node.as_table()->get_as<std::string>("value");
    auto const value =
        text != nullptr ? number_with_unit(text->get(), constant.unit) : std::nullopt;
    if (!value) {
        return wrong(file,
                     "'" + constant.name + ".value' is not a number of " +
                         (constant.unit.empty() ? "no unit" : constant.unit) + " of 0 or more",
                     "write it as a string with its unit, for example \"1.5 " + constant.unit +
                         "\"");
    }
    auto const origin = node.as_table()->get_as<std::string>("origin");
    if (origin == nullptr || origin->get().empty()) {
        return wrong(file,
                     "'" + constant.name + "' has no origin",
                     "say where it is from: datasheet, published, measured or assumed");
    }
    // A launch of 1,000 s or a key in a millisecond: wrong by orders of magnitude.
    constexpr double value_max = 1e9;
    constexpr double rate_min_GBps = 1e-3;
    if (*value > value_max || (constant.unit == "GB/s" && *value < rate_min_GBps)) {
        return wrong(file,
                     "'" + constant.name + "' is " + text->get() + ", which no GPU has",
                     "give a value up to 1e9 " + constant.unit +
                         (constant.unit == "GB/s" ? ", and 1 MB/s at least" : ""));
    }
    *constant.value = *value;
    profile.origins[constant.name] = origin->get();
    return std::nullopt;
}

} // namespace

KeyWidthCosts const& DeviceProfile::width(std::size_t key_bytes) const {
    KEYSWAP_EXPECTS(key_bytes == 4 || key_bytes == 8);
    return key_bytes == 4 ? key32 : key64;
}

std::vector<ProfileConstant> constants_of(DeviceProfile& profile) {
    std::vector<ProfileConstant> all;
    auto const add_width = [&](std::string const& prefix, KeyWidthCosts& costs) {
        all.push_back({prefix + ".histogram", "ps/key", &costs.histogram_ps});
        all.push_back({prefix + ".scatter_row", "ps/key", &costs.scatter_row_ps});
        all.push_back({prefix + ".scatter_conflict", "ps/key", &costs.scatter_conflict_ps});
        all.push_back({prefix + ".sort_base", "ps/key", &costs.sort_base_ps});
        all.push_back({prefix + ".sort_pass", "ps/key", &costs.sort_pass_ps});
        all.push_back({prefix + ".merge", "ps/key", &costs.merge_ps});
    };
    add_width("key32", profile.key32);
    add_width("key64", profile.key64);
    all.push_back({"sort.pass_bits", "bits", &profile.sort_pass_bits});
    all.push_back({"sort.lag", "of the sort", &profile.sort_lag});
    all.push_back({"launch.histogram", "us", &profile.histogram_launch_us});
    all.push_back({"launch.scatter", "us", &profile.scatter_launch_us});
    all.push_back({"launch.sort", "us", &profile.sort_launch_us});
    all.push_back({"launch.merge", "us", &profile.merge_launch_us});
    all.push_back({"launch.host_copy", "us", &profile.host_copy_launch_us});
    all.push_back({"launch.peer_copy", "us", &profile.peer_copy_launch_us});
    all.push_back({"launch.swap", "us", &profile.swap_launch_us});
    all.push_back({"copy.local", "GB/s", &profile.local_copy_GBps});
    all.push_back({"warm_up.time", "ms", &profile.warm_up_ms});
    all.push_back({"warm_up.memory", "times", &profile.cold_memory});
    all.push_back({"warm_up.compute", "times", &profile.cold_compute});
    all.push_back({"warm_up.to_device", "times", &profile.cold_to_device});
    all.push_back({"warm_up.to_host", "times", &profile.cold_to_host});
    all.push_back({"warm_up.peer_copy", "times", &profile.cold_peer_copy});
    all.push_back({"plan.base", "us", &profile.plan_base_us});
    all.push_back({"plan.gpu", "us/GPU", &profile.plan_gpu_us});
    all.push_back({"plan.later_pass_gpu", "us/GPU", &profile.replan_gpu_us});
    if (profile.fast) {
        FastCosts& fast = *profile.fast;
        all.push_back({"fast.read", "GB/s", &fast.read_GBps});
        all.push_back({"fast.step", "GB/s", &fast.step_GBps});
        all.push_back({"fast.count", "ps/digit", &fast.count_ps});
        all.push_back({"fast.conflict", "ps/key", &fast.conflict_ps});
        all.push_back({"fast.stable_step32", "ps/key", &fast.stable_step32_ps});
        all.push_back({"fast.stable_step64", "ps/key", &fast.stable_step64_ps});
        all.push_back({"fast.stable_value", "ps/B", &fast.stable_value_byte_ps});
        all.push_back({"fast.counting", "ps/key", &fast.counting_ps});
        all.push_back({"fast.counting_stretch", "ns", &fast.counting_stretch_ns});
        all.push_back({"fast.launch", "us", &fast.launch_us});
        all.push_back({"fast.plan", "us", &fast.plan_us});
    }
    return all;
}

Expected<DeviceProfile> parse_device_profile(std::string_view text, std::string_view file) {
    auto const parsed = parse_toml(text, file, "see a shipped device profile for the format");
    if (!parsed) {
        return tl::unexpected(parsed.error());
    }
    toml::table const& table = *parsed;
    DeviceProfile profile;
    profile.name = table["name"].value_or(std::string());
    profile.description = table["description"].value_or(std::string());
    if (profile.name.empty()) {
        return tl::unexpected(wrong(file, "'name' is missing", "add name = \"...\""));
    }
    if (table.contains("fast")) {
        profile.fast.emplace();
    }
    for (ProfileConstant& constant : constants_of(profile)) {
        if (auto error = read_constant(table, constant, profile, file)) {
            return tl::unexpected(std::move(*error));
        }
    }
    if (profile.sort_pass_bits < 1.0 || profile.sort_lag > 1.0 || profile.local_copy_GBps == 0.0) {
        return tl::unexpected(wrong(file,
                                    "'sort.pass_bits' is below 1, 'sort.lag' above 1 or "
                                    "'copy.local' 0",
                                    "none of the three can be on a real GPU"));
    }
    for (ProfileConstant const& constant : constants_of(profile)) {
        if (constant.unit == "times" && *constant.value < 1.0) {
            return tl::unexpected(
                wrong(file,
                      "'" + constant.name + "' is below 1, so that low clocks would be faster",
                      "write \"1 times\" where the clocks do not matter"));
        }
    }
    return profile;
}

std::string write_device_profile(DeviceProfile const& profile) {
    DeviceProfile copy = profile;
    std::string out = "name = " + in_quotes(profile.name) + "\n";
    out += "description = " + in_quotes(profile.description) + "\n";
    std::string table;
    for (ProfileConstant const& constant : constants_of(copy)) {
        std::size_t const dot = constant.name.find('.');
        if (constant.name.substr(0, dot) != table) {
            table = constant.name.substr(0, dot);
            out += "\n[" + table + "]\n";
        }
        auto const origin = profile.origins.find(constant.name);
        out += constant.name.substr(dot + 1) + " = { value = \"" + decimals(*constant.value) + " " +
               constant.unit + "\", origin = " +
               in_quotes(origin == profile.origins.end() ? "assumed: not stated" : origin->second) +
               " }\n";
    }
    return out;
}

Expected<DeviceProfile> load_device_profile(std::string_view name_or_path) {
    std::string known;
    std::string name(name_or_path);
    for (char& letter : name) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    for (EmbeddedProfile const& profile : embedded_profiles()) {
        if (profile.name == name) {
            return parse_device_profile(profile.text, profile.name);
        }
        known += (known.empty() ? "" : ", ") + std::string(profile.name);
    }
    if (std::error_code code; !std::filesystem::exists(name_or_path, code)) {
        return tl::unexpected(InputError{std::string(name_or_path),
                                         "is neither a shipped device profile nor a file",
                                         "shipped: " + known});
    }
    auto const text = read_toml_file(std::string(name_or_path));
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_device_profile(*text, name_or_path);
}

std::vector<std::string> shipped_device_profiles() {
    std::vector<std::string> names;
    for (EmbeddedProfile const& profile : embedded_profiles()) {
        names.emplace_back(profile.name);
    }
    return names;
}

} // namespace keyswap::simulator
