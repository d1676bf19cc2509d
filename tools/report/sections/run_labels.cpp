#include "tools/report/sections/run_data.hpp"

#include "model/partition/shuffle.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/request_text.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/grouped_count.hpp"

namespace keyswap::tools {

namespace {

/// GPU count and list, "3 (0,2,4)"; only the count if the list is too long.
std::string gpus_label(std::vector<int> const& gpus, bool virtual_gpus) {
    constexpr std::size_t set_letters_max = 40;
    std::string const count = std::to_string(gpus.size());
    if (virtual_gpus) {
        return count + " virtual";
    }
    std::string const set = gpu_set_text({gpus.begin(), gpus.end()});
    return set.size() <= set_letters_max ? count + " (" + set + ")" : count;
}

std::string input_label(InputRecord const& input) {
    if (input.distribution == "file") {
        return "file " + input.file;
    }
    return distribution_text(input.distribution, input.parameter) + ", seed " +
           std::to_string(input.seed);
}

/// Label of values: "32 bits"; empty without values.
std::string values_label(ValueType type) {
    return type == ValueType::none ? "" : std::string(to_string(type)) + " bits";
}

/// Names and values; omits empty values.
struct Rows {
    void add(char const* name, std::string const& value) {
        if (!value.empty()) {
            json.push_back({name, value});
        }
    }
    Json json = Json::array();
};

void add_keys(Rows& rows, RunHeader const& header) {
    rows.add("Keys",
             grouped_count(header.key_count) + " " + std::string(to_string(header.key_type)) +
                 " (" +
                 size_text(static_cast<double>(header.key_count) *
                           static_cast<double>(header.element_bytes())) +
                 ")");
    rows.add("From", input_label(header.input));
}

void add_origin(Rows& rows, RunHeader const& header) {
    rows.add("Device", header.device);
    rows.add("Driver", header.driver);
    rows.add("Recorded by", header.program + (header.commit.empty() ? "" : " " + header.commit));
    rows.add("Recorded on", header.created);
}

} // namespace

std::string percent_label(std::uint64_t part, std::uint64_t whole) {
    double const share =
        whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return printed(share < 0.1 && part > 0 ? "%.3g %%" : "%.1f %%", share);
}

Json configuration_rows(RunHeader const& header) {
    Rows rows;
    add_keys(rows, header);
    rows.add("GPUs", gpus_label(header.gpus, header.virtual_gpus));
    rows.add("Algorithm",
             header.algorithm + (header.variant.empty() || header.variant == "reference"
                                     ? ""
                                     : ", variant " + header.variant));
    rows.add("Order", std::string(to_string(header.direction)));
    rows.add("Values", values_label(header.value_type));
    if (auto const algorithm = find_algorithm_info(header.algorithm)) {
        for (ParameterInfo const& parameter : (*algorithm)->parameters) {
            rows.add(std::string(parameter.name).c_str(),
                     grouped_count(value_of(header, parameter)) + " " +
                         std::string(parameter.unit));
        }
    }
    add_origin(rows, header);
    return rows.json;
}

Json operation_configuration_rows(RunHeader const& header, std::string const& rule) {
    Rows rows;
    if (header.operation == Operation::sssp) {
        rows.add("Graph", input_label(header.input));
        rows.add("Vertices", grouped_count(header.key_count));
    } else {
        add_keys(rows, header);
        rows.add("Values", values_label(header.value_type));
    }
    bool const shuffle = model::is_shuffle(header);
    rows.add("Operation", shuffle ? "shuffle" : std::string(to_string(header.operation)));
    rows.add("Method", header.variant);
    rows.add("Rule", rule);
    if (shuffle) {
        bool const given = header.parameters.contains(std::string(model::given_owners_parameter)) &&
                           header.parameters.begin()->second != 0;
        rows.add("GPUs", gpus_label(header.gpus, header.virtual_gpus));
        rows.add("Owners", given ? "given" : "equal numbers of neighbouring buckets");
    } else {
        for (auto const& [name, value] : header.parameters) {
            rows.add(name.c_str(), grouped_count(value));
        }
    }
    add_origin(rows, header);
    return rows.json;
}

Json third_party_configuration_rows(RunHeader const& header) {
    Rows rows;
    rows.add("Sort", header.program);
    add_keys(rows, header);
    rows.add("Order", std::string(to_string(header.direction)));
    if (is_floating(header.key_type)) {
        rows.add("Order of zeros", std::string(to_string(header.zero_order)));
    }
    if (header.value_type != ValueType::none) {
        rows.add("Values", values_label(header.value_type));
        rows.add("Equal keys", std::string(to_string(header.stability)));
    }
    return rows.json;
}

} // namespace keyswap::tools
