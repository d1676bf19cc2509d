#include "traces/measurements/measurement.hpp"
#include "traces/measurements/rate_table.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

/// As below, for tables of rates, whose texts may not contain characters that need quotes.
void check_rates(std::string_view text) {
    auto const rates = keyswap::parse_rates(text, "fuzz");
    if (!rates) {
        if (rates.error().problem.empty() || rates.error().remedy.empty()) {
            std::abort();
        }
        return;
    }
    for (auto const& rate : *rates) {
        for (auto const* field : {&rate.source,
                                  &rate.table,
                                  &rate.device,
                                  &rate.method,
                                  &rate.distribution,
                                  &rate.ratio_to,
                                  &rate.note}) {
            if (field->find_first_of(",\"\r") != std::string::npos) {
                return;
            }
        }
    }
    auto again = keyswap::parse_rates(keyswap::rates_text(*rates), "fuzz");
    if (!again || again->size() != rates->size()) {
        std::abort();
    }
    for (std::size_t index = 0; index < again->size(); ++index) {
        (*again)[index].line = (*rates)[index].line;
    }
    if (*again != *rates) {
        std::abort();
    }
}

} // namespace

/// Valid rows survive a round trip.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    check_rates(text);
    auto const rows = keyswap::parse_measurements(text, "fuzz");
    if (!rows) {
        return 0;
    }
    for (auto const& row : *rows) {
        for (auto const* field :
             {&row.device_name, &row.algorithm, &row.key_type, &row.distribution}) {
            if (field->find_first_of("\"\r") != std::string::npos) {
                return 0; // can be read, but not written
            }
        }
    }
    auto const again = keyswap::parse_measurements(keyswap::measurements_text(*rows), "fuzz");
    if (!again || *again != *rows) {
        std::abort();
    }
    return 0;
}
