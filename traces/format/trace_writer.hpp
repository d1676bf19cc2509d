#pragma once

#include "traces/format/byte_sink.hpp"
#include "traces/records/records.hpp"

#include <filesystem>
#include <memory>

namespace keyswap {

/// Writes a trace in the text format of traces/FORMAT.md, compressed where the name ends in ".gz"
/// or
/// ".zst". The file appears under its name when finish() succeeds; a writer that is dropped earlier
/// leaves nothing behind. One thread at a time may call it.
class TraceWriter final : public TraceSink {
  public:
    /// Fails before any work is done where the path could not be written.
    [[nodiscard]] static Expected<TraceWriter> create(std::filesystem::path const& path);

    /// Errors of the disk are kept until finish().
    /// \pre the first record is a RunHeader, and no other is; its version can say all others;
    ///      finish() was not called
    void write(TraceRecord const& record) override;

    /// Adds the end record and gives the file its name.
    [[nodiscard]] Expected<void> finish();

  private:
    explicit TraceWriter(std::unique_ptr<ByteSink> sink);

    std::unique_ptr<ByteSink> sink_;
    std::uint64_t record_count_ = 0;
    int version_ = 1; ///< of the header
    Expected<void> state_;
};

} // namespace keyswap
