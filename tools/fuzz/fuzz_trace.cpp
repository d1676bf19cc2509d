#include "model/verify/bounds/record_bounds.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/verify_trace.hpp"
#include "traces/format/trace_line.hpp"
#include "traces/format/trace_reader.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace keyswap;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Reads a trace to its end; every error must have a message.
void read_all(std::string text) {
    auto bytes = decompressed(bytes_of(std::move(text)), "fuzz");
    if (!bytes) {
        return;
    }
    TraceReader reader(std::move(*bytes), "fuzz");
    while (true) {
        auto const record = reader.next();
        require(record.has_value() || !record.error().problem.empty());
        if (!record || !*record) {
            return;
        }
    }
}

/// Members of a record with a valid checksum, ended as by encode_line().
std::string sealed(std::string_view open_object) {
    std::string line(open_object);
    line += R"(,"crc32":")" + checksum_text(open_object) + "\"}";
    return line;
}

/// A valid record survives a round trip.
void read_one(std::string_view open_object) {
    for (int version = 1; version <= trace_format_version; ++version) {
        auto const line = decode_line(sealed(open_object), version);
        if (line) {
            std::string encoded = encode_line(*line, version);
            encoded.pop_back();
            auto const again = decode_line(encoded, version);
            require(again.has_value() && *again == *line);
        }
    }
}

/// Turns each line into a record with a valid checksum, and appends the matching end record.
std::string whole_trace(std::string_view text) {
    std::string trace;
    std::uint64_t lines = 0;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        trace += sealed(text.substr(0, end)) + '\n';
        lines += 1;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return trace + encode_line(TraceEnd{lines}, trace_format_version);
}

/// Verifies a trace within the limits, whatever its content; a report without differences must have
/// checked something.
void verify(std::string_view text) {
    model::verify::VerifyLimits limits;
    limits.memory_bytes = 1 << 26;
    limits.regenerated_keys_max = 10'000;
    TraceReader reader(bytes_of(whole_trace(text)), "fuzz");
    auto const run = model::verify::read_recorded_run(reader, "fuzz", limits);
    // More GPUs and wider digits only slow down every input.
    bool const small = run && run->header.gpus.size() <= 8 && run->header.digit_bits <= 8 &&
                       run->header.input.distribution != "file";
    auto const config = run ? model::verify::config_of(run->header)
                            : Expected<model::SortConfig>(tl::unexpected(InputError{}));
    if (!small || !config) {
        return;
    }
    auto const possible = model::verify::without_impossible_records(*run, *config);
    require(model::verify::find_impossible_records(possible, *config).empty());
    auto const report = model::verify::verify_run(*run, limits);
    if (!report) {
        require(!report.error().problem.empty());
        return;
    }
    for (auto const& difference : report->differences) {
        require(!sentence_of(difference).empty());
    }
    require(!report->holds() || !report->checked.empty() || run->header.key_count == 0);
    require(!report->holds() || model::verify::find_impossible_records(*run, *config).empty());
}

} // namespace

/// Uses the bytes as a whole file; as the members of a record with a valid checksum, which a fuzzer
/// would hardly find; and as lines of a trace with valid checksums.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const text(reinterpret_cast<char const*>(data), size);
    read_all(text);
    read_one(text);
    verify(text);
    return 0;
}
