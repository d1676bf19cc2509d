#include "traces/measurements/measurement.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Rows that are understood must be the same after they were written and read.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    auto const rows = keyswap::parse_measurements(text, "fuzz");
    if (!rows) {
        return 0;
    }
    for (auto const& row : *rows) {
        for (auto const* field :
             {&row.device_name, &row.algorithm, &row.key_type, &row.distribution}) {
            if (field->find_first_of("\"\r") != std::string::npos) {
                return 0; // such a field can be read but not written
            }
        }
    }
    auto const again = keyswap::parse_measurements(keyswap::measurements_text(*rows), "fuzz");
    if (!again || *again != *rows) {
        std::abort();
    }
    return 0;
}
