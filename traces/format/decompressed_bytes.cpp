#include "traces/errors/contracts.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/little_endian.hpp"
#include "traces/format/open_bytes.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace keyswap {

namespace {

constexpr std::size_t compressed_block_bytes = std::size_t{1} << 16; ///< 64 KiB fits in L2
constexpr std::size_t beginning_bytes = 4096; ///< more than any usual prefix of skippable frames
/// Includes method 8 (deflate), the only one in use.
constexpr std::string_view gzip_magic = "\x1f\x8b\x08";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";
constexpr std::size_t skippable_header_bytes = 8; ///< magic number and content size

/// Source: RFC 8878, section 3.1.2: magic numbers 0x184D2A50 to 0x184D2A5F.
bool starts_skippable_frame(std::string_view bytes) {
    return bytes.size() >= skippable_header_bytes && bytes.substr(1, 3) == "\x2a\x4d\x18" &&
           (static_cast<unsigned char>(bytes[0]) & 0xf0U) == 0x50U;
}

std::size_t skippable_size(std::string_view frame) {
    std::size_t const size_at = zstd_magic.size();
    return skippable_header_bytes + little_endian(frame, size_at, skippable_header_bytes - size_at);
}

InputError truncated_error(std::string const& name) {
    return {name, "its compressed data is cut off", "copy or record the file again"};
}

InputError damaged(std::string const& name, std::string const& kind, char const* reason) {
    return {name,
            "its " + kind + " data is damaged: " + (reason == nullptr ? "unknown" : reason),
            "copy or record the file again"};
}

InputError trailing_data_error(std::string const& name, std::string const& kind) {
    return {name,
            "has bytes after its " + kind + " data that are not " + kind + " data",
            "copy the file again, or decompress it yourself and look at its end"};
}

/// Decompresses gzip, including several members in a row. Accepts zeros after a member as padding,
/// as gzip does.
class GzipBytes final : public ByteSource {
  public:
    GzipBytes(std::unique_ptr<ByteSource> raw, std::string name)
        : raw_(std::move(raw)), name_(std::move(name)) {
        constexpr int gzip_only = 16; // zlib: added to window bits
        KEYSWAP_ENSURES(inflateInit2(&stream_, MAX_WBITS + gzip_only) == Z_OK);
    }
    GzipBytes(GzipBytes const&) = delete;
    GzipBytes& operator=(GzipBytes const&) = delete;
    ~GzipBytes() override { inflateEnd(&stream_); }

    Expected<std::size_t> read(std::span<char> block) override {
        stream_.next_out = reinterpret_cast<Bytef*>(block.data());
        stream_.avail_out = static_cast<uInt>(std::min(block.size(), std::size_t{1} << 30));
        uInt const wanted = stream_.avail_out;
        while (stream_.avail_out == wanted) {
            if (stream_.avail_in == 0) {
                KEYSWAP_TRY(auto const count, raw_->read(input_));
                if (count == 0) {
                    return between_members_ ? Expected<std::size_t>(0)
                                            : tl::unexpected(truncated_error(name_));
                }
                stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
                stream_.avail_in = static_cast<uInt>(count);
            }
            if (between_members_ && !begin_member()) {
                continue;
            }
            bool const at_begin = member_count_ > 0 && stream_.total_in == 0;
            if (at_begin && static_cast<char>(*stream_.next_in) != gzip_magic.front()) {
                return tl::unexpected(trailing_data_error(name_, "gzip"));
            }
            int const state = inflate(&stream_, Z_NO_FLUSH);
            if (state == Z_STREAM_END) {
                between_members_ = true;
                ++member_count_;
            } else if (state != Z_OK && state != Z_BUF_ERROR) {
                return tl::unexpected(member_count_ > 0 && !has_header_
                                          ? trailing_data_error(name_, "gzip")
                                          : damaged(name_, "gzip", stream_.msg));
            }
            has_header_ = has_header_ || stream_.total_out > 0;
        }
        return wanted - stream_.avail_out;
    }

  private:
    /// Skips padding. \return true if a member follows in the bytes read so far
    bool begin_member() {
        for (; stream_.avail_in > 0 && *stream_.next_in == 0; --stream_.avail_in) {
            ++stream_.next_in;
        }
        if (stream_.avail_in == 0) {
            return false;
        }
        inflateReset(&stream_);
        between_members_ = false;
        has_header_ = false;
        return true;
    }

    std::unique_ptr<ByteSource> raw_;
    std::string name_;
    std::vector<char> input_ = std::vector<char>(compressed_block_bytes);
    z_stream stream_{};
    bool between_members_ = false;
    std::uint64_t member_count_ = 0; ///< complete members
    bool has_header_ = false;        ///< the current member has produced bytes
};

/// Decompresses zstd, including several frames in a row.
class ZstdBytes final : public ByteSource {
  public:
    ZstdBytes(std::unique_ptr<ByteSource> raw, std::string name)
        : raw_(std::move(raw)), name_(std::move(name)), stream_(ZSTD_createDStream()) {
        KEYSWAP_ENSURES(stream_ != nullptr);
        // Accepts the output of "zstd --long=31" as far as the memory limit allows.
        auto const bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
        int const allowed = static_cast<int>(std::bit_width(limit_of(Limit::memory))) - 1;
        window_log_max_ = std::clamp(allowed, bounds.lowerBound, bounds.upperBound);
        is_limited_ = allowed < bounds.upperBound;
        ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window_log_max_);
    }
    ZstdBytes(ZstdBytes const&) = delete;
    ZstdBytes& operator=(ZstdBytes const&) = delete;
    ~ZstdBytes() override { ZSTD_freeDStream(stream_); }

    Expected<std::size_t> read(std::span<char> block) override {
        ZSTD_outBuffer output{block.data(), block.size(), 0};
        while (output.pos == 0) {
            bool at_end = false;
            if (given_.pos == given_.size) {
                KEYSWAP_TRY(auto const count, raw_->read(input_));
                at_end = count == 0;
                given_ = {input_.data(), count, 0};
            }
            if (at_end && between_frames_) {
                return 0;
            }
            std::size_t const state = ZSTD_decompressStream(stream_, &output, &given_);
            if (ZSTD_isError(state) != 0) {
                return tl::unexpected(refusal(state));
            }
            between_frames_ = state == 0;
            has_frame_ = has_frame_ || between_frames_;
            if (at_end && output.pos == 0 && !between_frames_) {
                return tl::unexpected(truncated_error(name_));
            }
        }
        return output.pos;
    }

  private:
    [[nodiscard]] InputError refusal(std::size_t state) const {
        switch (ZSTD_getErrorCode(state)) {
        case ZSTD_error_frameParameter_windowTooLarge: {
            std::string const claim = "its zstd data needs a window of more than " +
                                      std::to_string(std::uint64_t{1} << (window_log_max_ - 20)) +
                                      " MiB";
            return is_limited_
                       ? beyond_limit(Limit::memory, name_, claim)
                       : InputError{name_, claim, "compress it again with a smaller --long"};
        }
        case ZSTD_error_memory_allocation:
            return {name_,
                    "there is not enough memory for the window of its zstd data",
                    "compress it again without --long"};
        case ZSTD_error_dictionary_wrong:
            return {name_,
                    "its zstd data needs the dictionary with which it was compressed",
                    "decompress it with 'zstd -d -D DICTIONARY'"};
        case ZSTD_error_prefix_unknown:
            if (has_frame_) {
                return trailing_data_error(name_, "zstd");
            }
            [[fallthrough]];
        default:
            return damaged(name_, "zstd", ZSTD_getErrorName(state));
        }
    }

    std::unique_ptr<ByteSource> raw_;
    std::string name_;
    std::vector<char> input_ = std::vector<char>(compressed_block_bytes);
    ZSTD_DStream* stream_;
    ZSTD_inBuffer given_{nullptr, 0, 0};
    int window_log_max_ = 0;
    bool is_limited_ = false; ///< by the memory limit instead of by zstd
    bool between_frames_ = false;
    bool has_frame_ = false; ///< at least one frame is complete
};

} // namespace

Compression compression_of(std::string_view beginning, Compression expected) {
    if (beginning.starts_with(gzip_magic)) {
        return Compression::gzip;
    }
    bool skipped = false;
    while (starts_skippable_frame(beginning)) {
        beginning.remove_prefix(std::min(skippable_size(beginning), beginning.size()));
        skipped = true;
    }
    bool const is_zstd = beginning.starts_with(zstd_magic) ||
                         (skipped && beginning.empty() && expected == Compression::zstd);
    return is_zstd ? Compression::zstd : Compression::none;
}

Expected<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                   std::string const& name) {
    KEYSWAP_TRY(auto peeked, peek_bytes(std::move(raw), beginning_bytes));
    auto& [start, all] = peeked;
    switch (compression_of(start, Compression::zstd)) {
    case Compression::gzip:
        return std::make_unique<GzipBytes>(std::move(all), name);
    case Compression::zstd:
        return std::make_unique<ZstdBytes>(std::move(all), name);
    case Compression::none:
        break;
    }
    return std::move(all);
}

} // namespace keyswap
