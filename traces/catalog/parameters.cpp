#include "traces/catalog/parameters.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

namespace keyswap {

namespace {

tl::unexpected<InputError> out_of_limits(ParameterInfo const& info, std::uint64_t value) {
    std::string remedy = "give " + std::to_string(info.least) + " to " + std::to_string(info.most) +
                         " " + std::string(info.unit) + "; the default is " +
                         std::to_string(info.default_value);
    if (!info.source.empty()) {
        remedy += ", after " + std::string(info.source);
    }
    return input_error(
        setting(info.name), std::to_string(value) + " is out of range", std::move(remedy));
}

bool within_limits(ParameterInfo const& info, std::uint64_t value) {
    return value >= info.least && value <= info.most;
}

} // namespace

std::uint64_t value_of(SortParameters const& parameters, ParameterInfo const& info) {
    std::uint64_t value = info.default_value;
    if (auto const named = parameters.parameters.find(std::string(info.name));
        named != parameters.parameters.end()) {
        value = named->second;
    }
    visit_parameter_fields(parameters, [&](std::string_view name, auto const& field) {
        value = name == info.name ? static_cast<std::uint64_t>(field) : value;
    });
    return value;
}

void set_value(SortParameters& parameters, ParameterInfo const& info, std::uint64_t value) {
    KEYSWAP_EXPECTS(within_limits(info, value));
    bool has_field = false;
    visit_parameter_fields(parameters, [&]<class Field>(std::string_view name, Field& field) {
        if (name == info.name) {
            field = static_cast<Field>(value);
            has_field = true;
        }
    });
    if (!has_field) {
        parameters.parameters[std::string(info.name)] = value;
    }
}

Expected<SortParameters> parameters_from(AlgorithmInfo const& algorithm,
                                         std::map<std::string, std::uint64_t> const& given) {
    SortParameters parameters;
    for (ParameterInfo const& info : algorithm.parameters) {
        auto const named = given.find(std::string(info.name));
        std::uint64_t const value = named == given.end() ? info.default_value : named->second;
        if (!within_limits(info, value)) {
            return out_of_limits(info, value);
        }
        set_value(parameters, info, value);
    }
    for (auto const& [name, value] : given) {
        if (find_parameter(algorithm, name) == nullptr) {
            return input_error(setting(name),
                               std::string(algorithm.name) + " has no such parameter",
                               "leave it out");
        }
    }
    return parameters;
}

Expected<SortParameters> validated_parameters(AlgorithmInfo const& algorithm,
                                              SortParameters const& parameters) {
    for (ParameterInfo const& info : algorithm.parameters) {
        if (std::uint64_t const value = value_of(parameters, info); !within_limits(info, value)) {
            return out_of_limits(info, value);
        }
    }
    return parameters;
}

} // namespace keyswap
