#include "traces/measurements/measurement.hpp"
#include "traces/measurements/rate_table.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

/// Tables of rates are only read.
void check_rates(std::string_view text) {
    auto const rates = keyswap::parse_rates(text, "fuzz");
    if (!rates && (rates.error().problem.empty() || rates.error().remedy.empty())) {
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
