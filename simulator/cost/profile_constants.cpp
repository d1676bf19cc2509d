#include "simulator/cost/profile_constants.hpp"

#include "simulator/platform/toml_text.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/try.hpp"

#include <charconv>
#include <cmath>

namespace keyswap::simulator {

namespace {

/// Parses the number in "3.9 ps/key"; nullopt if the unit differs.
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

Expected<void> read_constant(toml::table const& table,
                             ProfileConstant const& constant,
                             std::map<std::string, std::string>& origins,
                             std::string_view file) {
    auto const node = table.at_path(constant.name);
    if (!node && constant.standard) {
        *constant.value = *constant.standard;
        origins[constant.name] = "assumed: not in the file, so A100's";
        return {};
    }
    if (!node.is_table()) {
        return input_error(file,
                           "constant '" + constant.name + "' is missing",
                           "add " + constant.name + " = { value = \"... " + constant.unit +
                               "\", origin = \"measured: ...\" }");
    }
    auto const text = node.as_table()->get_as<std::string>("value");
    auto const value =
        text != nullptr ? number_with_unit(text->get(), constant.unit) : std::nullopt;
    if (!value) {
        return input_error(
            file,
            "'" + constant.name + ".value' is not a number of " +
                (constant.unit.empty() ? "no unit" : constant.unit) + " of 0 or more",
            "write it as a string with its unit, for example \"1.5 " + constant.unit + "\"");
    }
    auto const origin = node.as_table()->get_as<std::string>("origin");
    if (origin == nullptr || origin->get().empty()) {
        return input_error(file,
                           "'" + constant.name + "' has no origin",
                           "say where it is from: datasheet, published, measured or assumed");
    }
    // A launch of 1,000 s or a key per millisecond: wrong by orders of magnitude.
    constexpr double value_max = 1e9;
    constexpr double rate_min_GBps = 1e-3;
    if (*value > value_max || (constant.unit == "GB/s" && *value < rate_min_GBps)) {
        return input_error(file,
                           "'" + constant.name + "' is " + text->get() + ", which no GPU has",
                           "give a value up to 1e9 " + constant.unit +
                               (constant.unit == "GB/s" ? ", and 1 MB/s at least" : ""));
    }
    *constant.value = *value;
    origins[constant.name] = origin->get();
    return {};
}

} // namespace

Expected<void> read_constants(toml::table const& table,
                              std::span<ProfileConstant const> constants,
                              std::map<std::string, std::string>& origins,
                              std::string_view file) {
    for (ProfileConstant const& constant : constants) {
        KEYSWAP_RETURN_IF_ERROR(read_constant(table, constant, origins, file));
    }
    return {};
}

std::string write_constants(std::span<ProfileConstant const> constants,
                            std::map<std::string, std::string> const& origins) {
    std::string out;
    std::string table;
    for (ProfileConstant const& constant : constants) {
        std::size_t const dot = constant.name.find('.');
        if (constant.name.substr(0, dot) != table) {
            table = constant.name.substr(0, dot);
            out += "\n[" + table + "]\n";
        }
        auto const origin = origins.find(constant.name);
        out += constant.name.substr(dot + 1) + " = { value = \"" + shortest_text(*constant.value) +
               " " + constant.unit + "\", origin = " +
               toml_quoted(origin == origins.end() ? "assumed: not stated" : origin->second) +
               " }\n";
    }
    return out;
}

} // namespace keyswap::simulator
