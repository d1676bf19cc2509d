#include "model/key_files/key_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

/// A valid header survives a round trip.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace keyswap::model;
    auto const bytes = keyswap::bytes_of(std::string(reinterpret_cast<char const*>(data), size));
    auto const text = read_npy_header_text(*bytes, "fuzz");
    if (auto const header =
            text.and_then([](auto& read) { return parse_npy_header(read, "fuzz"); })) {
        auto const again = parse_npy_header(npy_header_text(*header), "fuzz");
        if (!again || *again != *header || text->size() > size) {
            std::abort();
        }
    }
    return 0;
}
