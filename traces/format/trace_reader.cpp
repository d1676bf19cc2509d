#include "traces/format/trace_reader.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_line.hpp"

#include <utility>

namespace keyswap {

namespace {

constexpr std::size_t line_block_bytes = std::size_t{1} << 16; ///< few system calls; fits in L2
constexpr std::size_t line_bytes_max = std::size_t{1} << 22;   ///< 65,536 counts of 20 digits fit

constexpr std::string_view trace_begin = R"({"record":)";

InputError truncated_error() {
    return {"", "the trace is cut off here", "copy or record the file again"};
}

/// Replaces the error if the file is not a trace at all.
InputError in_first_line(std::string_view line, InputError error) {
    std::string_view const begin = line.substr(0, trace_begin.size());
    if (trace_begin.starts_with(begin)) {
        return error;
    }
    return {"",
            "is not a record of a keyswap trace: it does not begin with the field 'record'",
            "give a file that " + setting("record") +
                " of sort, record, histogram or multisplit has written"};
}

} // namespace

TraceReader::TraceReader(std::unique_ptr<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {}

Expected<TraceReader> TraceReader::open(std::filesystem::path const& path) {
    return open_bytes(path).map([&](std::unique_ptr<ByteSource> bytes) {
        return TraceReader(std::move(bytes), path.string());
    });
}

InputError TraceReader::at_line(InputError error) const {
    std::string const line = ", line " + std::to_string(line_);
    return {name_ + line, std::move(error.problem), std::move(error.remedy)};
}

Expected<std::optional<std::string>> TraceReader::next_line() {
    ++line_;
    std::size_t searched = position_;
    while (true) {
        std::size_t const end = buffer_.find('\n', searched);
        if (end != std::string::npos) {
            std::string line = buffer_.substr(position_, end - position_);
            position_ = end + 1;
            return line;
        }
        buffer_.erase(0, position_);
        position_ = 0;
        searched = buffer_.size();
        if (searched > line_bytes_max) {
            return tl::unexpected(at_line({"",
                                           "is longer than any record can be",
                                           "check that the file is a keyswap trace"}));
        }
        buffer_.resize(searched + line_block_bytes);
        auto const count = bytes_->read(std::span(buffer_).subspan(searched));
        buffer_.resize(searched + count.value_or(0));
        KEYSWAP_RETURN_IF_ERROR(count);
        if (*count == 0 && buffer_.empty()) {
            return std::nullopt;
        }
        if (*count == 0) {
            return tl::unexpected(at_line(line_ == 1 ? in_first_line(buffer_, truncated_error())
                                                     : truncated_error()));
        }
    }
}

Expected<std::optional<TraceRecord>> TraceReader::next() {
    if (place_ == Place::at_end) {
        return std::nullopt;
    }
    Place const place = std::exchange(place_, Place::at_end);
    KEYSWAP_TRY(auto const line, next_line());
    if (!line) {
        return tl::unexpected(at_line(truncated_error()));
    }
    auto decoded = decode_line(*line, version_);
    if (!decoded) {
        bool const first = place == Place::at_header;
        return tl::unexpected(
            at_line(first ? in_first_line(*line, decoded.error()) : std::move(decoded.error())));
    }
    auto* const record = std::get_if<TraceRecord>(&*decoded);
    bool const is_header = record != nullptr && std::holds_alternative<RunHeader>(*record);
    if (is_header != (place == Place::at_header)) {
        return tl::unexpected(at_line({"",
                                       is_header ? "is a second header" : "is not a header record",
                                       "a trace holds one run and starts with its header"}));
    }
    if (record == nullptr) {
        return end_of_trace(std::get<TraceEnd>(*decoded).record_count);
    }
    if (is_header) {
        version_ = std::get<RunHeader>(*record).version;
    }
    place_ = Place::in_records;
    return std::move(*record);
}

Expected<std::optional<TraceRecord>> TraceReader::end_of_trace(std::uint64_t record_count) {
    if (record_count != line_ - 1) {
        return tl::unexpected(at_line({"",
                                       "the end record counts " + std::to_string(record_count) +
                                           " records, and there are " + std::to_string(line_ - 1),
                                       "copy or record the file again"}));
    }
    KEYSWAP_TRY(auto const more, next_line());
    if (more) {
        return tl::unexpected(at_line({"", "follows the end record", "write one trace per file"}));
    }
    return std::nullopt;
}

Expected<std::vector<TraceRecord>> read_trace(std::filesystem::path const& path) {
    KEYSWAP_TRY(auto reader, TraceReader::open(path));
    std::vector<TraceRecord> records;
    while (true) {
        KEYSWAP_TRY(auto record, reader.next());
        if (!record) {
            return records;
        }
        records.push_back(std::move(*record));
    }
}

} // namespace keyswap
