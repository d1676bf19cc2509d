#include "traces/format/trace_writer.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/format/trace_line.hpp"

#include <utility>

namespace keyswap {

TraceWriter::TraceWriter(std::unique_ptr<ByteSink> sink) : sink_(std::move(sink)) {}

Expected<TraceWriter> TraceWriter::create(std::filesystem::path const& path) {
    return create_bytes(path).map(
        [](std::unique_ptr<ByteSink> sink) { return TraceWriter(std::move(sink)); });
}

void TraceWriter::write(TraceRecord const& record) {
    KEYSWAP_EXPECTS(sink_ != nullptr);
    KEYSWAP_EXPECTS((record_count_ == 0) == std::holds_alternative<RunHeader>(record));
    if (auto const* header = std::get_if<RunHeader>(&record)) {
        version_ = header->version;
    }
    ++record_count_;
    if (state_) {
        state_ = sink_->write(encode_line(record, version_));
    }
}

Expected<void> TraceWriter::finish() {
    KEYSWAP_EXPECTS(sink_ != nullptr);
    KEYSWAP_EXPECTS(record_count_ > 0);
    auto const sink = std::exchange(sink_, nullptr);
    if (!state_) {
        return state_;
    }
    return sink->write(encode_line(TraceEnd{record_count_}, version_)).and_then([&] {
        return sink->finish();
    });
}

} // namespace keyswap
