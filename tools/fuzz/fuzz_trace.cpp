#include "traces/trace_line.hpp"
#include "traces/trace_reader.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

/// Reads a trace to its end; every error must say something.
void read_all(std::string text) {
    auto bytes = keyswap::decompressed(keyswap::bytes_of(std::move(text)), "fuzz");
    if (!bytes) {
        return;
    }
    keyswap::TraceReader reader(std::move(*bytes), "fuzz");
    while (true) {
        auto const record = reader.next();
        if (!record && record.error().problem.empty()) {
            std::abort();
        }
        if (!record || !*record) {
            return;
        }
    }
}

} // namespace

/// The bytes as a whole file; then as the inside of a single record with a right checksum, which
/// the fuzzer would hardly guess. A record that is understood must survive a round trip.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    read_all(text);
    auto const line =
        keyswap::decode_line(text + R"(,"crc32":")" + keyswap::checksum_text(text) + "\"}");
    if (line) {
        std::string encoded = keyswap::encode_line(*line);
        encoded.pop_back();
        auto const again = keyswap::decode_line(encoded);
        if (!again || *again != *line) {
            std::abort();
        }
    }
    return 0;
}
