# Homebrew formula of osm-gen, for a tap: ci/packaging/release fills in the version and the digests.
class OsmGen < Formula
  desc "Bootstrap data for Kubernetes nodes, sealed and committed"
  homepage "@HOME@"
  version "@VERSION@"
  license "Apache-2.0"
  depends_on :linux

  on_intel do
    url "@DOWNLOADS@/v@VERSION@/osm-gen-@VERSION@-linux-amd64"
    sha256 "@AMD64@"
  end
  on_arm do
    url "@DOWNLOADS@/v@VERSION@/osm-gen-@VERSION@-linux-arm64"
    sha256 "@ARM64@"
  end

  def install
    bin.install Dir["osm-gen-*"].first => "osm-gen"
    chmod 0755, bin/"osm-gen"
    generate_completions_from_executable(bin/"osm-gen", "completion")
    (man1/"osm-gen.1").write Utils.safe_popen_read(bin/"osm-gen", "man")
  end

  test do
    assert_equal "osm-gen #{version}", shell_output("#{bin}/osm-gen --version").lines.first.chomp
  end
end
