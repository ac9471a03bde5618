resource "local_file" "workers" {
  filename = "../clusters/prod/workers.json"
  content  = jsonencode(local.workers)
}
