#pragma once

#include "traces/format/byte_sink.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <memory>

namespace keyswap {

/// Writes a trace in the text format of traces/FORMAT.md, compressed if the name ends in ".gz" or
/// ".zst". The file appears under its name once finish() succeeds. Destroying the writer before
/// finish() succeeds discards the data and leaves no file behind. Errors name the file. Not
/// thread-safe: only one thread at a time may call it.
class TraceWriter final : public TraceSink {
  public:
    /// Fails early, before any work, if the path cannot be written.
    [[nodiscard]] static Expected<TraceWriter> create(std::filesystem::path const& path);

    /// finish() reports write errors.
    /// \pre the first record, and no other, is a RunHeader; its version supports all records;
    ///      finish() was not called
    void write(TraceRecord const& record) override;

    /// Appends the end record and names the file.
    [[nodiscard]] Expected<void> finish();

  private:
    explicit TraceWriter(std::unique_ptr<ByteSink> sink);

    std::unique_ptr<ByteSink> sink_;
    std::uint64_t record_count_ = 0;
    int version_ = 1; ///< from the header
    Expected<void> state_;
};

} // namespace keyswap
