#include "simulator/cost/sort_law.hpp"
#include "tools/commands/simulate/simulate_options.hpp"
#include "tools/options/sorted_type.hpp"
#include "tools/output/captured_output.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/key_type.hpp"

#include <iostream>

namespace keyswap::tools {

namespace {

/// A sort on a device, with the times of the device's cost model.
struct DeviceSort {
    simulator::RateProfile profile;
    std::string method;
    std::uint64_t key_count = 0;
    KeyType key_type = KeyType::u32;
    ValueType value_type = ValueType::none;
    simulator::SortLawTime time;

    [[nodiscard]] std::uint64_t element_bytes() const {
        return key_size_bytes(key_type) + value_size_bytes(value_type);
    }
};

Expected<simulator::SortLaw> law_of(simulator::RateProfile const& profile,
                                    std::string const& device,
                                    std::string const& method) {
    if (auto const law = profile.sorts.find(method); law != profile.sorts.end()) {
        return law->second;
    }
    KnownNames known;
    for (auto const& [name, law] : profile.sorts) {
        known.add(name);
    }
    if (profile.sorts.empty()) {
        return input_error("--device",
                           "'" + device + "' has costs of partitions only",
                           "choose one with [sort], as core-i7, gtx280 or knf");
    }
    return input_error("--algorithm",
                       "is '" + method + "', and '" + device + "' has no costs of that algorithm",
                       known.remedy(method, "choose one that was measured on it: "));
}

Expected<DeviceSort> predict(SimulateOptions const& options) {
    std::string const& device = *options.device;
    KEYSWAP_TRY(auto profile, simulator::load_rate_profile(device));
    KEYSWAP_TRY(auto const key_type, parse_sorted_type(options.key_type));
    KEYSWAP_TRY(auto const value_type, parse_value_type(options.values));
    std::string const method = options.algorithm.named();
    KEYSWAP_TRY(auto const law, law_of(profile, device, method));
    auto const time = simulator::sort_law_time(profile,
                                               law,
                                               options.key_count,
                                               static_cast<int>(key_size_bytes(key_type)),
                                               static_cast<int>(value_size_bytes(value_type)));
    return DeviceSort{std::move(profile), method, options.key_count, key_type, value_type, time};
}

/// Constants used by the cost model: the processor's and the method's.
std::vector<simulator::ProfileConstant> constants_behind(DeviceSort& sort) {
    auto constants = simulator::constants_of(sort.profile);
    std::erase_if(constants, [&](simulator::ProfileConstant const& constant) {
        return !constant.name.starts_with("processor.") &&
               !constant.name.starts_with("sort." + sort.method + ".");
    });
    return constants;
}

void print_json_of(DeviceSort& sort) {
    Json json = json_result("simulate",
                            {{"device", sort.profile.name},
                             {"description", sort.profile.description},
                             {"algorithm", sort.method},
                             {"keys", sort.key_count},
                             {"type", to_string(sort.key_type)},
                             {"values", to_string(sort.value_type)}});
    Json constants = Json::array();
    for (simulator::ProfileConstant const& constant : constants_behind(sort)) {
        constants.push_back({{"name", constant.name},
                             {"unit", constant.unit},
                             {"value", *constant.value},
                             {"origin", sort.profile.origins.at(constant.name)}});
    }
    json.update(Json{{"total_ms", sort.time.total_ms()},
                     {"launch_ms", sort.time.launch_ms},
                     {"steps", sort.time.steps},
                     {"step_ms", sort.time.step_ms},
                     {"bound_by", sort.time.memory_binds ? "memory" : "computation"},
                     {"constants", constants}});
    print_json(json, std::cout);
}

void print_text_of(DeviceSort& sort) {
    auto& out = std::cout;
    std::string const type(to_string(sort.key_type));
    out << formatted(
        "# %s: %s%s on one %s (%s)\n",
        sort.method.c_str(),
        counted(sort.key_count, type + " key").c_str(),
        sort.value_type == ValueType::none
            ? ""
            : (" with " + std::string(to_string(sort.value_type)) + "-bit values").c_str(),
        printable_text(sort.profile.name).c_str(),
        printable_text(sort.profile.description).c_str());
    out << formatted("%-10s %10.3f ms\n", "launch", sort.time.launch_ms);
    out << formatted("%-10s %10.3f ms  %.4g of %.4g ms, bound by %s\n",
                     "steps",
                     sort.time.steps * sort.time.step_ms,
                     sort.time.steps,
                     sort.time.step_ms,
                     sort.time.memory_binds ? "memory" : "computation");
    out << formatted("%-10s %10.3f ms  %s\n\n",
                     "total",
                     sort.time.total_ms(),
                     rate_text(sort.key_count, sort.element_bytes(), sort.time.total_ms()).c_str());
    for (simulator::ProfileConstant const& constant : constants_behind(sort)) {
        out << formatted("%s %.4g %s: %s\n",
                         printable_text(constant.name).c_str(),
                         *constant.value,
                         constant.unit.c_str(),
                         printable_text(sort.profile.origins.at(constant.name)).c_str());
    }
}

} // namespace

Expected<void> check_device_memory(simulator::RateProfile const& profile,
                                   std::uint64_t key_count,
                                   std::uint64_t element_bytes) {
    if (key_count > simulator::predicted_keys_max) {
        return input_error("--keys",
                           grouped_count(key_count) + " are more than can be predicted",
                           "give at most 1e13");
    }
    auto const fitting = simulator::elements_that_fit(profile, element_bytes);
    if (fitting && key_count > *fitting) {
        remark_stream() << "Note: " << printable_text(profile.name) << " has "
                        << size_text(profile.memory_GB * 1e9) << ", but "
                        << grouped_count(key_count) << " elements of "
                        << counted(element_bytes, "byte") << " need "
                        << size_text(2.0 * static_cast<double>(key_count * element_bytes))
                        << " as input and output; at most " << grouped_count(*fitting) << " fit.\n";
    }
    return {};
}

Expected<ExitCode> simulate_on_device(SimulateOptions const& options) {
    KEYSWAP_TRY(auto sort, predict(options));
    KEYSWAP_RETURN_IF_ERROR(
        check_device_memory(sort.profile, sort.key_count, sort.element_bytes()));
    options.json ? print_json_of(sort) : print_text_of(sort);
    return ExitCode::fine;
}

} // namespace keyswap::tools
