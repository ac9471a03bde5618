# osm-gen for Nix: nix run 'git+HOME?dir=ci/release'
{
  description = "Bootstrap data for Kubernetes nodes, sealed and committed";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "osm-gen";
          version = nixpkgs.lib.fileContents ../../VERSION;
          src = ../..;
          nativeBuildInputs = with pkgs; [ pkg-config python3 ];
          buildInputs = with pkgs; [
            libgit2 libyaml jansson libsodium openssl re2 utf8proc zlib libdeflate isa-l
          ];
          postPatch = "patchShebangs ci src";
          enableParallelBuilding = true;
          makeFlags = [ "PREFIX=$(out)" ];
          meta = {
            license = nixpkgs.lib.licenses.asl20;
            mainProgram = "osm-gen";
            platforms = systems;
          };
        };
      });
    };
}
