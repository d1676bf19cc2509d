#include "traces/format/byte_sink.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <limits>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace keyswap {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16; ///< few system calls; fits in L2

class PlainSink final : public ByteSink {
  public:
    explicit PlainSink(AtomicFile file) : file_(std::move(file)) {}

    Expected<void> write(std::string_view bytes) override {
        block_ += bytes;
        return block_.size() < block_bytes ? Expected<void>() : flush();
    }
    Expected<void> finish() override {
        return flush().and_then([this] { return file_.commit(); });
    }

  private:
    Expected<void> flush() {
        auto written = file_.write(block_);
        block_.clear();
        return written;
    }

    AtomicFile file_;
    std::string block_;
};

class GzipSink final : public ByteSink {
  public:
    explicit GzipSink(AtomicFile file) : file_(std::move(file)) {
        constexpr int gzip_header = 16; // zlib: added to window bits
        constexpr int memory_level = 8; // zlib's default
        KEYSWAP_ENSURES(deflateInit2(&stream_,
                                     Z_DEFAULT_COMPRESSION,
                                     Z_DEFLATED,
                                     MAX_WBITS + gzip_header,
                                     memory_level,
                                     Z_DEFAULT_STRATEGY) == Z_OK);
    }
    GzipSink(GzipSink const&) = delete;
    GzipSink& operator=(GzipSink const&) = delete;
    ~GzipSink() override { deflateEnd(&stream_); }

    Expected<void> write(std::string_view bytes) override {
        KEYSWAP_EXPECTS(bytes.size() <= std::numeric_limits<uInt>::max());
        stream_.next_in = reinterpret_cast<Bytef const*>(bytes.data());
        stream_.avail_in = static_cast<uInt>(bytes.size());
        return run(Z_NO_FLUSH);
    }
    Expected<void> finish() override {
        return run(Z_FINISH).and_then([this] { return file_.commit(); });
    }

  private:
    Expected<void> run(int mode) {
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
            stream_.avail_out = static_cast<uInt>(output_.size());
            int const state = deflate(&stream_, mode);
            KEYSWAP_ENSURES(state != Z_STREAM_ERROR);
            KEYSWAP_RETURN_IF_ERROR(
                file_.write(std::span(output_).first(output_.size() - stream_.avail_out)));
        } while (stream_.avail_out == 0);
        return {};
    }

    AtomicFile file_;
    std::vector<char> output_ = std::vector<char>(block_bytes);
    z_stream stream_{};
};

class ZstdSink final : public ByteSink {
  public:
    explicit ZstdSink(AtomicFile file) : file_(std::move(file)), stream_(ZSTD_createCStream()) {
        KEYSWAP_ENSURES(stream_ != nullptr);
        ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
    }
    ZstdSink(ZstdSink const&) = delete;
    ZstdSink& operator=(ZstdSink const&) = delete;
    ~ZstdSink() override { ZSTD_freeCStream(stream_); }

    Expected<void> write(std::string_view bytes) override { return run(bytes, ZSTD_e_continue); }
    Expected<void> finish() override {
        return run({}, ZSTD_e_end).and_then([this] { return file_.commit(); });
    }

  private:
    Expected<void> run(std::string_view bytes, ZSTD_EndDirective mode) {
        ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
        std::size_t left = 0;
        do {
            ZSTD_outBuffer output{output_.data(), output_.size(), 0};
            left = ZSTD_compressStream2(stream_, &output, &input, mode);
            KEYSWAP_ENSURES(ZSTD_isError(left) == 0);
            KEYSWAP_RETURN_IF_ERROR(file_.write(std::span(output_).first(output.pos)));
        } while (input.pos < input.size || (mode == ZSTD_e_end && left != 0));
        return {};
    }

    AtomicFile file_;
    std::vector<char> output_ = std::vector<char>(block_bytes);
    ZSTD_CStream* stream_;
};

} // namespace

Expected<std::unique_ptr<ByteSink>> create_bytes(std::filesystem::path const& path) {
    KEYSWAP_TRY(auto file, AtomicFile::create(path));
    if (path.extension() == ".gz") {
        return std::make_unique<GzipSink>(std::move(file));
    }
    if (path.extension() == ".zst") {
        return std::make_unique<ZstdSink>(std::move(file));
    }
    return std::make_unique<PlainSink>(std::move(file));
}

} // namespace keyswap
